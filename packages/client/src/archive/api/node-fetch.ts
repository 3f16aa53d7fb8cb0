import { Agent, type IncomingMessage, type RequestOptions, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';

/** A `fetch` to one server. */
export interface NodeFetch {
  /** Takes the path of a request instead of its address, and a body of text or bytes. */
  readonly fetch: typeof fetch;
  /** Closes the connections that wait for further requests. */
  close(): void;
}

/** Requests that are in progress at once: a few files, and parts of a large one. */
const maxConnections = 8;
/** A connection on which nothing has arrived for this long is given up. */
const silenceMs = 60_000;

/**
 * Makes a `fetch` that sends paths as they are, with segments such as `..`, which the one of the platform removes. It
 * reaches a server at a URL, or one that listens on a Unix socket.
 */
export function createNodeFetch(server: URL | { readonly socketPath: string }): NodeFetch {
  const isSecure = server instanceof URL && server.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : Agent)({ keepAlive: true, maxSockets: maxConnections });
  const send = isSecure ? sendHttps : sendHttp;
  const where: RequestOptions =
    server instanceof URL
      ? // A URL has the brackets of an IPv6 address, a host name has not.
        { hostname: server.hostname.replace(/^\[(.*)\]$/, '$1'), port: server.port }
      : server;

  const fetchPath = (path: string, { method, headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const fields = {
        ...Object.fromEntries(new Headers(headers)),
        ...(body != null && { 'Content-Length': Buffer.byteLength(body as string | Uint8Array) }),
      };
      const options = { ...where, agent, path, headers: fields, ...(method && { method }) };
      const sent = send({ ...options, ...(signal && { signal }) }, (message) => {
        try {
          resolve(responseOf(message));
        } catch (cause) {
          sent.destroy(cause as Error);
        }
      });
      sent.setTimeout(silenceMs, () => sent.destroy(new Error(`nothing arrived for ${silenceMs / 1000} s`)));
      sent.on('error', (cause: NodeJS.ErrnoException) => {
        // As the platform does it. Node gives no message when no address of a host answers.
        reject(new TypeError(cause.message || String(cause.code), { cause }));
      });
      sent.once('socket', (socket) => {
        // A server may answer and close before it has read the body. Then nobody else listens for the failed write.
        if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
      });
      sent.end(body);
    });

  return {
    fetch: (path, init = {}) => fetchPath(String(path), init),
    close: () => agent.destroy(),
  };
}

const ignore = () => {};

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(String(rawHeaders[at]), String(rawHeaders[at + 1]));
  }
  const location = headers.get('location');
  const isRedirect = status >= 300 && status < 400 && location !== null;
  if (status !== 204 && status !== 304 && !isRedirect)
    return new Response(streamOf(message), { status, headers });
  message.resume();
  // A redirect says where it leads, as the service says what is wrong.
  const errors = [`redirects to ${location}: give that address instead`];
  return new Response(isRedirect ? JSON.stringify({ errors }) : null, { status, headers });
}

/** The body. Not by `ReadableStream.from`, which leaves the connection taken if it is cancelled before it is read. */
function streamOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      cancel: () => void message.destroy(),
    },
    { highWaterMark: 0 },
  );
}
