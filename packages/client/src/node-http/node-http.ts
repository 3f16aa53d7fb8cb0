import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import type { Ending } from '../http/text-exchange.js';

export interface NodeRequest {
  readonly isSecure: boolean;
  /** Where to, what, and the agent whose connections it may use. */
  readonly options: RequestOptions & { readonly headers: OutgoingHttpHeaders };
  readonly body?: string | Uint8Array | null;
  /** Takes what ends the request and the reading of its answer; cheaper than a signal among the options. */
  readonly onEnd?: Ending['onEnd'];
  /** The request is given up when nothing has arrived for this many milliseconds. */
  readonly silenceMs: number;
}

/** A server that cannot be reached within this time is given up, as `fetch` does. */
const connectTimeoutMs = 10_000;

/** Sends a request by the HTTP of Node, and gives the answer without its body. Rejects with the reason as `cause`, as `fetch` does. */
export function sendInNode(request: NodeRequest): Promise<IncomingMessage> {
  const { isSecure, options, body, silenceMs } = request;
  // Node gives a DELETE no length of its own.
  const length = body != null && { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const send = isSecure ? sendHttps : sendHttp;
    const sent = send({ ...options, headers: { ...options.headers, ...length } }, (message) => {
      // An early answer: the rest of the body would go on being sent.
      message.once('end', () => {
        if (!sent.writableFinished) sent.destroy();
      });
      resolve(message);
    });
    request.onEnd?.((reason) => sent.destroy(reason as Error));
    sent.setTimeout(silenceMs, () => sent.destroy(new Error(`nothing arrived for ${silenceMs / 1000} s`)));
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      // As the platform does it. Node gives no message when no address of a host answers.
      reject(new TypeError(cause.message || String(cause.code), { cause }));
    });
    sent.once('socket', (socket) => {
      // A server may answer and close before it has read the body. Then nobody else listens for the failed write.
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
      if (!socket.connecting) return;
      const timer = setTimeout(() => sent.destroy(unreachable()), connectTimeoutMs);
      const settled = () => clearTimeout(timer);
      socket.once(isSecure ? 'secureConnect' : 'connect', settled).once('close', settled);
    });
    sent.end(body);
  });
}

const ignore = () => {};

/** The code is that of `fetch`: nothing was sent. */
function unreachable(): Error {
  return Object.assign(new Error(`no connection within ${connectTimeoutMs / 1000} s`), {
    code: 'UND_ERR_CONNECT_TIMEOUT',
  });
}

/** What the options of a request need to reach the server of this URL. */
export function addressOf({ hostname, port }: URL): RequestOptions {
  // A URL has the brackets of an IPv6 address, a host name has not.
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
}
