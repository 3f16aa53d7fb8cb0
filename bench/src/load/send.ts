import { Agent, type AgentOptions, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { RenderedRequest } from './request-template.js';

export interface SentAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export type Sent = Omit<RenderedRequest, 'headers' | 'body'> & Partial<RenderedRequest>;

const timeoutMs = 60_000;

/**
 * Sends one request and reads the whole answer.
 * @param agent keeps connections open between requests. Without it, every request has a connection of its own: a
 *   server that was paused for long may close a kept connection at its next use.
 */
export async function send(url: string, sent: Sent, agent?: Agent): Promise<SentAnswer> {
  if (agent !== undefined) return await exchange(url, sent, agent);
  // The client closes the connection instead of sending a header: webdis 0.1.9 does not answer long requests that have
  // `Connection: close`.
  const own = agentFor(url, { keepAlive: true });
  try {
    return await exchange(url, sent, own);
  } finally {
    own.destroy();
  }
}

/** An agent for the scheme of the URL. Any certificate will do: the servers under test make their own. */
export function agentFor(url: string, options: AgentOptions): Agent {
  return isSecure(url) ? new SecureAgent({ ...options, rejectUnauthorized: false }) : new Agent(options);
}

function isSecure(url: string): boolean {
  return url.startsWith('https:');
}

function exchange(url: string, { method, path, headers, body }: Sent, agent: Agent): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    const length = method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
    const sending = (isSecure(url) ? secureRequest : request)(url + path, {
      method,
      headers: { ...headers, ...length },
      agent,
      signal: AbortSignal.timeout(timeoutMs),
    });
    sending.on('error', reject).on('response', (answer) => {
      buffer(answer).then((bytes) => resolve({ status: answer.statusCode!, body: bytes }), reject);
    });
    sending.end(body);
  });
}

/**
 * Sends a request that prepares a contender; returns the body of the answer.
 * @throws Error if the status is none of `statuses`
 */
export async function must(url: string, sent: Sent, ...statuses: number[]): Promise<Buffer> {
  const { status, body } = await send(url, sent);
  if (statuses.includes(status)) return body;
  throw new Error(`${sent.method} ${sent.path}: ${status} ${body.subarray(0, 500)}`);
}
