import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { RenderedRequest } from './request-template.js';

export interface SentAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export type Sent = Omit<RenderedRequest, 'headers' | 'body'> & Partial<RenderedRequest>;

const limitMs = 60_000;

/**
 * Sends one request and reads the whole answer.
 * @param agent keeps connections open between requests. Without it each has one of its own: servers are paused for
 *   long, and a connection that one of them wants to close meanwhile breaks at the next use.
 */
export async function send(url: string, sent: Sent, agent?: Agent): Promise<SentAnswer> {
  if (agent !== undefined) return await exchange(url, sent, agent);
  // Closed by us afterwards and not by a header: webdis 0.1.9 leaves long requests with `Connection: close` unanswered.
  const own = new Agent({ keepAlive: true });
  try {
    return await exchange(url, sent, own);
  } finally {
    own.destroy();
  }
}

function exchange(url: string, { method, path, headers, body }: Sent, agent: Agent): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    const length = method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
    const sending = request(url + path, {
      method,
      headers: { ...headers, ...length },
      agent,
      signal: AbortSignal.timeout(limitMs),
    });
    sending.on('error', reject).on('response', (answer) => {
      buffer(answer).then((bytes) => resolve({ status: answer.statusCode!, body: bytes }), reject);
    });
    sending.end(body);
  });
}

/** While a contender is set up: an answer of another status is an error. */
export async function must(url: string, sent: Sent, ...statuses: number[]): Promise<Buffer> {
  const { status, body } = await send(url, sent);
  if (statuses.includes(status)) return body;
  throw new Error(`${sent.method} ${sent.path}: ${status} ${body.subarray(0, 500)}`);
}
