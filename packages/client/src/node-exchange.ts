import { Agent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { addressOf, sendInNode } from './node-http.js';
import type { TextAnswer, TextExchange } from './text-exchange.js';

/**
 * Exchanges texts by the HTTP of Node: a `get` takes a third of the processor time that it takes by `fetch`.
 * Gives undefined where a program has set how its requests are sent, which only `fetch` follows: a `fetch` of its own, or a
 * dispatcher of undici for a proxy or a certificate.
 */
export function findNodeExchange(): TextExchange | undefined {
  const dispatcher = (globalThis as { [place]?: object })[place];
  if (known?.fetch !== fetch || known.dispatcher !== dispatcher)
    known = { fetch, dispatcher, isUsual: isFetchOfNode() && isUsual(dispatcher) };
  return known.isUsual ? exchange : undefined;
}

/** Where `fetch` looks for the dispatcher of the program. */
const place = Symbol.for('undici.globalDispatcher.1');

/** What was last looked at, and whether nothing has been set. */
let known: { fetch: typeof fetch; dispatcher: object | undefined; isUsual: boolean } | undefined;

/** Libraries for tests replace it. */
function isFetchOfNode(): boolean {
  return Function.prototype.toString.call(fetch).includes('internal/deps/undici');
}

/** Whether it is an agent that was made without options, by Node or by the first package that brings undici along. */
function isUsual(dispatcher: object | undefined): boolean {
  if (dispatcher === undefined) return true;
  const { constructor: made } = dispatcher;
  // What composes an agent with interceptors looks like it, and dispatches otherwise.
  const isAgent = made?.name === 'Agent' && dispatchOf(dispatcher) === dispatchOf(made.prototype);
  const options = Object.getOwnPropertySymbols(dispatcher).find(
    ({ description }) => description === 'options',
  );
  if (!isAgent || options === undefined) return false;
  const values = Object.values(Reflect.get(dispatcher, options) as object);
  return values.every((value) => value === undefined || value === Number.POSITIVE_INFINITY);
}

const dispatchOf = (dispatcher: object): unknown => Reflect.get(dispatcher, 'dispatch');

/** Both as in `fetch`: how long a connection waits for another request, and a request for its answer. */
const idleMs = 4000;
const silenceMs = 300_000;
const agents = {
  'http:': new Agent({ keepAlive: true, timeout: idleMs }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: idleMs }),
};
/** As `fetch` sends with `cache: 'no-cache'`: a cache on the way has to revalidate what it keeps. */
const always = {
  accept: '*/*',
  'accept-encoding': 'gzip, br',
  'cache-control': 'max-age=0',
  'user-agent': 'node',
};

const exchange: TextExchange = async (address, { method, headers, ending, body }) => {
  const url = new URL(address);
  const isSecure = url.protocol === 'https:';
  const options = {
    ...addressOf(url),
    path: url.pathname + url.search,
    method,
    headers: { ...always, ...Object.fromEntries(headers) },
    agent: agents[isSecure ? 'https:' : 'http:'],
  };
  return answerOf(
    await sendInNode({
      isSecure,
      options,
      onEnd: ending.onEnd,
      silenceMs,
      ...(body !== undefined && { body }),
    }),
  );
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
    text: () => textOf(message, get('content-encoding')),
  };
}

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Promise<Buffer>>> = {
  gzip: promisify<Uint8Array, Buffer>(gunzip),
  br: promisify<Uint8Array, Buffer>(brotliDecompress),
};

/** The text of a body, which a proxy may have compressed. */
async function textOf(message: IncomingMessage, coding: string | null): Promise<string> {
  const bytes = await bytesOf(message);
  if (coding === null) return bytes.toString();
  const decode = decoders[coding.toLowerCase()];
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
      .on('error', reject);
  });
}
