import { Agent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { addressOf, sendInNode } from '../../node-http/node-http.js';

/** Requests that are in progress at once: a few files, and parts of a large one. */
const maxConnections = 8;
/** A connection on which nothing has arrived for this long is given up. */
const silenceMs = 60_000;

/** A `fetch` to one server. */
export type NodeFetch = ReturnType<typeof createNodeFetch>;

/**
 * Makes a `fetch` that sends paths as they are, with segments such as `..`, which the one of the platform removes. It
 * reaches a server at a URL, or one that listens on a Unix socket.
 */
export function createNodeFetch(server: URL | { readonly socketPath: string }) {
  const isSecure = server instanceof URL && server.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : Agent)({ keepAlive: true, maxSockets: maxConnections });
  const where = server instanceof URL ? addressOf(server) : server;

  /** Takes the path of a request instead of its address, and a body of text or bytes. */
  const fetchPath: typeof fetch = async (path, { method, headers, body, signal } = {}) => {
    const options = {
      ...where,
      agent,
      path: String(path),
      headers: Object.fromEntries(new Headers(headers)),
      ...(method && { method }),
      ...(signal && { signal }),
    };
    const sent = body as string | Uint8Array | null;
    const message = await sendInNode({ isSecure, options, body: sent, silenceMs });
    try {
      return responseOf(message);
    } catch (cause) {
      // No `Response` can have this status.
      message.destroy();
      throw cause;
    }
  };

  return {
    fetch: fetchPath,
    /** Closes the connections that wait for further requests. */
    close: () => agent.destroy(),
  };
}

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
