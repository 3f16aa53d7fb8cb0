import { Agent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { TextAnswer, TextExchange } from '../http/text-exchange.js';
import { addressOf, sendInNode } from './node-http.js';
import { isFetchUsual } from './usual-fetch.js';

/**
 * Exchanges texts by the HTTP of Node, where nothing is set for `fetch`: a `get` takes less than half of the processor time
 * that it takes by `fetch`.
 */
export function findNodeExchange(): TextExchange | undefined {
  return isFetchUsual() ? exchange : undefined;
}

/** As `fetch` has them: how long a request waits for its answer, and a connection for another request. */
const silenceMs = 300_000;
const idleMs = 4000;
const longestIdleMs = 600_000;
/** A server that closes a connection after this many seconds may do so while a request is on its way. */
const earlierMs = 2000;

/** How long each connection waits for another request. */
const idleTimes = new WeakMap<Socket, number>();
const agents = {
  'http:': patient(new Agent({ keepAlive: true })),
  'https:': patient(new HttpsAgent({ keepAlive: true })),
};

/** Its connections wait as long as their server says that it does. Node only shortens the wait by what a server says. */
function patient<Given extends Agent>(agent: Given): Given {
  agent.on('free', (socket: Socket) => {
    const waitMs = idleTimes.get(socket) ?? idleMs;
    if (waitMs > 0) socket.setTimeout(waitMs);
    else socket.destroy();
  });
  return agent;
}

function noteIdleTime({ socket, headers }: IncomingMessage): void {
  if (idleTimes.has(socket)) return;
  const [, seconds] = /timeout=(\d+)/.exec(String(headers['keep-alive'])) ?? [];
  if (seconds !== undefined)
    idleTimes.set(socket, Math.min(Number(seconds) * 1000 - earlierMs, longestIdleMs));
}

/** As `fetch` sends with `cache: 'no-cache'`: a cache on the way has to revalidate what it keeps. */
const always = {
  accept: '*/*',
  'accept-encoding': 'gzip, br',
  'cache-control': 'max-age=0',
  'user-agent': 'node',
};

const exchange: TextExchange = async (address, { method, headers, ending, body }) => {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('an address with a user or a password cannot be used');
  const isSecure = url.protocol === 'https:';
  const options = {
    ...addressOf(url),
    path: url.pathname + url.search,
    method,
    headers: { ...always, ...Object.fromEntries(headers) },
    agent: agents[isSecure ? 'https:' : 'http:'],
  };
  const message = await sendInNode({
    isSecure,
    options,
    onEnd: ending.onEnd,
    silenceMs,
    ...(body !== undefined && { body }),
  });
  noteIdleTime(message);
  return answerOf(message);
};

function answerOf(message: IncomingMessage): TextAnswer {
  const status = message.statusCode ?? 0;
  const get = (name: string) => {
    const value = message.headers[name];
    return value === undefined ? null : String(value);
  };
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get },
    text: () => textOf(message, get('content-encoding')?.toLowerCase() || 'identity'),
  };
}

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Promise<Buffer>>> = {
  gzip: promisify<Uint8Array, Buffer>(gunzip),
  'x-gzip': promisify<Uint8Array, Buffer>(gunzip),
  br: promisify<Uint8Array, Buffer>(brotliDecompress),
};

/** The text of a body, which a proxy may have compressed. */
async function textOf(message: IncomingMessage, coding: string): Promise<string> {
  const bytes = await bytesOf(message);
  if (coding === 'identity' || bytes.length === 0) return bytes.toString();
  const decode = decoders[coding];
  if (decode === undefined) throw new Error(`the answer is encoded with ${coding}`);
  return (await decode(bytes)).toString();
}

/** By events: an iterator over the message takes a tenth of the time of a whole `get`. */
function bytesOf(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      // Node says only "aborted", whatever the reason.
      .on('error', () => reject(new Error('the answer broke off')));
  });
}
