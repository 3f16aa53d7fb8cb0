import { createHash, createHmac } from 'node:crypto';

/** What is sent to the address of a webhook, as Standard Webhooks says (docs/http.md#deliveries). */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a message is made from. */
export interface MessageContent {
  /** The same for the same changes, however often they are sent. */
  readonly id: string;
  readonly type: 'changes' | 'test';
  /** The members of `data`, as JSON. */
  readonly data: readonly string[];
  readonly nowMs: number;
}

const idCharacters = 32;

/** The id of a message with the changes from a cursor on, to one that they end with. */
export function messageId(hook: string, from: string, to: string): string {
  return `msg_${createHash('sha256').update(`${hook}\n${from}\n${to}`).digest('hex').slice(0, idCharacters)}`;
}

export function signMessage({ id, type, data, nowMs }: MessageContent, secret: Buffer): Message {
  const timestamp = String(Math.floor(nowMs / 1000));
  const time = new Date(nowMs).toISOString();
  const body = `{"type":"${type}","timestamp":"${time}","data":{${data.join(',')}}}`;
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}

/** The secret of a webhook: only its key determines it, so it is not stored, and ends with the key. */
export function hookSecret(keySecret: Buffer, hook: string): Buffer {
  return createHmac('sha256', keySecret).update(`webhook ${hook}`).digest();
}

/** The secret as libraries for Standard Webhooks take it. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}
