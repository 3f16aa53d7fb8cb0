import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { codesIn } from './error-codes.js';
import { isRecording, keptText, record } from './openapi/recording.js';
import type { Target } from './target.js';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** Parses the body as JSON. */
  json<T = unknown>(): T;
}

export interface SendOptions {
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent without a change. */
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A key other than the target's; null: no key. */
  readonly key?: string | null;
}

export interface Api {
  readonly target: Target;
  /** Sends the path byte for byte, without encoding it. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  /** Says that it is closed: what else is open to the target ends then. */
  readonly closed: AbortSignal;
  close(): void;
}

const usualTimeoutMs = 30_000;
/** A server refuses more new connections at once than its backlog, 511: further requests wait for one that is free. */
const maxSockets = 256;

/**
 * Sends requests to a target over kept-alive connections. With `BASEDRIVE_TEST_CONNECTION_EACH=1` every request has a
 * connection of its own, so that each may reach another server of a cluster. A request fails when nothing comes for `timeoutMs`. Nothing is encoded, repeated or redirected.
 */
export function createApi(target: Target, timeoutMs = usualTimeoutMs): Api {
  const secure = target.url.protocol === 'https:';
  const keepAlive = process.env.BASEDRIVE_TEST_CONNECTION_EACH !== '1';
  const options = { keepAlive, maxSockets };
  const agent = secure ? new SecureAgent({ ...options, ca: target.authority }) : new Agent(options);
  const open = secure ? secureRequest : request;
  const closing = new AbortController();

  return {
    target,
    closed: closing.signal,
    send(method, path, options = {}) {
      const body = options.json === undefined ? options.body : JSON.stringify(options.json);
      const bytes = Buffer.from(body ?? '');
      // Even for a single request, so that the client closes the connection, not the server.
      const headers: Record<string, string | number> = { Connection: 'keep-alive' };
      const type = options.type ?? (options.json === undefined ? undefined : 'application/json');
      if (type !== undefined) headers['Content-Type'] = type;
      if (options.key !== null) headers['X-API-Key'] = options.key ?? target.key;
      if (body !== undefined || !['GET', 'HEAD', 'OPTIONS'].includes(method)) {
        headers['Content-Length'] = bytes.length;
      }
      Object.assign(headers, options.headers);
      const { hostname, port } = target.url;
      const host = hostname.replace(/^\[|\]$/g, '');
      return new Promise((resolve, reject) => {
        const outgoing = open({ agent, host, port, method, path, headers }, (response) => {
          readReply(response)
            .then((reply) => {
              if (isRecording) recordExchange({ method, path, headers, bytes }, reply);
              return reply;
            })
            .then(resolve, reject);
        });
        outgoing.on('error', reject);
        outgoing.setTimeout(timeoutMs, () =>
          outgoing.destroy(new Error(`${method} ${path} was not answered within ${timeoutMs} ms`)),
        );
        outgoing.end(bytes);
      });
    },
    close() {
      agent.destroy();
      closing.abort();
    },
  };
}

function recordExchange(
  sent: { method: string; path: string; headers: Readonly<Record<string, unknown>>; bytes: Buffer },
  { status, headers, body }: Reply,
): void {
  const [, type] =
    Object.entries(sent.headers).findLast(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const requestType = type === undefined ? undefined : String(type);
  const answerType = headers['content-type'];
  record({
    method: sent.method,
    target: sent.path,
    requestType,
    requestBody: keptText(sent.bytes, requestType),
    status,
    answerType,
    answerBody: keptText(body, answerType),
  });
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { statusCode: status = 0, headers } = response;
  // Every answer has a request id (docs/http.md#connections-and-request-ids), so every test checks it.
  assert.match(String(headers['x-request-id']), /^\S+$/, `no X-Request-Id on a ${status}`);
  if (status === 500) assert.fail(body.toString());
  // And every message has a code (docs/http.md#error-codes). What succeeded may be megabytes of a file.
  if (status >= 400) codesIn(status, headers['content-type'], body.toString());
  return {
    status,
    headers,
    body,
    get text() {
      return body.toString();
    },
    json: <T>() => JSON.parse(body.toString()) as T,
  };
}
