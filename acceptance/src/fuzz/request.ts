/** A request before it is encoded, so that a part of it can be corrupted. */
export interface FuzzRequest {
  readonly method: string;
  /** The request target as it is sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The project whose requests are sent, and its key. */
export interface Sender {
  readonly project: string;
  readonly key: string;
}

/** The bytes of a request. It has a `Content-Length` if it has a body. */
export function encode(request: FuzzRequest): Buffer {
  const { method, target, headers, body } = request;
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: fuzz', ...headers.map(([n, v]) => `${n}: ${v}`)];
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

const absent = 'absent';

/** A valid request whose answer identifies it: a 404 with the key of a missing item. */
export function sentinel(sender: Sender, name: string): Buffer {
  return encode({
    method: 'GET',
    target: `/v1/${sender.project}/${absent}/items/${name}`,
    headers: [['X-API-Key', sender.key]],
    body: Buffer.alloc(0),
  });
}

/** The body of the answer to a sentinel: that of a missing item (docs/http.md#get-item). */
export function sentinelAnswer(name: string): string {
  return JSON.stringify({ key: name });
}

/** Items are stored in this base only if a hidden request is processed as a request of its own. */
export const smuggledBase = 'smuggled';
export const smuggledPrefix = 'smuggled-';

/** A request to hide in another one: one that stores an item, or one whose answer would show it. */
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
