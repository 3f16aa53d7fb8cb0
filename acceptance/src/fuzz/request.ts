/** A request whose head and body are still apart, so that one of them can be spoilt. */
export interface FuzzRequest {
  readonly method: string;
  /** As it goes on the wire. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Whose requests they are. */
export interface Sender {
  readonly project: string;
  readonly key: string;
}

/** The bytes of a request: as good as its parts. Its length is given when it has a body. */
export function encode(request: FuzzRequest): Buffer {
  const { method, target, headers, body } = request;
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: fuzz', ...headers.map(([n, v]) => `${n}: ${v}`)];
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

const absent = 'absent';

/** A good request whose answer tells which one it was: the key of an item that is not there comes back. */
export function sentinel(sender: Sender, name: string): Buffer {
  return encode({
    method: 'GET',
    target: `/v1/${sender.project}/${absent}/items/${name}`,
    headers: [['X-API-Key', sender.key]],
    body: Buffer.alloc(0),
  });
}

/** "404 {"key":"…"}" */
export function sentinelAnswer(name: string): string {
  return JSON.stringify({ key: name });
}

/** Where items come into being only if a request hidden in another one was taken for one of its own. */
export const smuggledBase = 'smuggled';
export const smuggledPrefix = 'smuggled-';

/** What is hidden: one that stores, or one whose answer would show it. */
export function hiddenRequest(sender: Sender, id: number): Buffer {
  const key = `${smuggledPrefix}${id}`;
  if (id % 2 === 0) return sentinel(sender, key);
  return encode({
    method: 'PUT',
    target: `/v1/${sender.project}/${smuggledBase}/items`,
    headers: [
      ['X-API-Key', sender.key],
      ['Content-Type', 'application/json'],
    ],
    body: Buffer.from(JSON.stringify({ items: [{ key }] })),
  });
}
