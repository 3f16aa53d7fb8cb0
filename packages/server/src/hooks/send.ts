import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { finished } from 'node:stream/promises';
import { unlessAborted } from '../lib/concurrency/unless-aborted.js';
import { version } from '../lib/version.js';
import type { Message } from './message.js';
import type { MayReach } from './reachable.js';

/**
 * Why there is no answer. A name that is not found is `address_refused`, too. Otherwise whoever makes a webhook could find out
 * which names exist in the network of the server.
 */
export const sendFailures = [
  'address_refused',
  'connection_refused',
  'connection_failed',
  'certificate_invalid',
  'timeout',
] as const;
export type SendFailure = (typeof sendFailures)[number];

/** What became of a message: the status that it was answered with, or why there is none. */
export type Sent =
  | { readonly status: number; readonly retryAfterMs?: number | undefined; readonly failure?: undefined }
  | { readonly failure: SendFailure; readonly status?: undefined; readonly retryAfterMs?: undefined };

/** Sends a message to an address, and reads no more than the status of the answer. Never rejects. */
export type Send = (url: string, message: Message, signal: AbortSignal) => Promise<Sent>;

export interface SendDependencies {
  readonly mayReach: MayReach;
  /** The addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Milliseconds for everything, from the name to the end of the answer. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 15_000;
/** An answer is no place to keep a connection busy with: what comes before its status counts, too. */
const maxAnswerBytes = 64 * 1024;
const longestRetryAfterMs = 3_600_000;

/**
 * Makes the function that sends messages. Each has a connection of its own, and is sent only to an address that
 * `mayReach` allows: the name is resolved once, and the connection goes to what was found, so that a name that leads
 * elsewhere a moment later changes nothing. Redirects are not followed.
 */
export function createSend({
  mayReach,
  resolve = resolveName,
  timeoutMs = usualTimeoutMs,
}: SendDependencies): Send {
  return async (url, message, stopped) => {
    // Node 20 forgets the timeout of an `AbortSignal.any` when it collects garbage.
    const ended = new AbortController();
    const end = () => ended.abort();
    const timer = setTimeout(end, timeoutMs);
    stopped.addEventListener('abort', end);
    if (stopped.aborted) end();
    const { signal } = ended;
    try {
      const to = new URL(url);
      const host = hostOf(to);
      const found = isIP(host) === 0 ? await unlessAborted(resolve(host), signal) : [host];
      if (found === undefined) return { failure: 'timeout' };
      const addresses = found.filter(mayReach);
      if (addresses.length === 0) return { failure: 'address_refused' };
      return await post(to, message, { addresses, mayReach, signal });
    } catch (cause) {
      return { failure: signal.aborted ? 'timeout' : failureOf(cause) };
    } finally {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
    }
  };
}

/** The host of an address, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

interface Way extends Pick<SendDependencies, 'mayReach'> {
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

async function post(
  url: URL,
  { headers, body }: Message,
  { addresses, mayReach, signal }: Way,
): Promise<Sent> {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, { all }, callback) => {
    const [first = { address: '', family: 0 }] = known;
    if (all) callback(null, known);
    else callback(null, first.address, first.family);
  };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': `Basedrive/${version()}`,
    },
    // A connection of its own, without a proxy of the environment, which would connect to anything.
    agent: false,
    lookup,
    signal,
  });
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      const refusal = refusalOf(socket.remoteAddress ?? '', mayReach);
      if (refusal !== undefined) socket.destroy(refusal);
    });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) socket.destroy();
    });
  });
  request.end(body);
  const [response] = (await Promise.race([once(request, 'response'), closed(request)])) as [IncomingMessage];
  await drain(response);
  return { status: response.statusCode ?? 0, retryAfterMs: retryAfterOf(response) };
}

/** Rejects when a request ends. After a 101, which nobody asked for, there is neither an answer nor an error. */
async function closed(request: ClientRequest): Promise<never> {
  await once(request, 'close');
  throw new Error('the connection was closed without an answer');
}

class AddressRefused extends Error {}

/**
 * Why a connection to an address ends; undefined if it may be used. The addresses of this machine cannot be listed when no
 * file handles are left: thrown within an event of the socket, that would end the process.
 */
function refusalOf(address: string, mayReach: MayReach): Error | undefined {
  try {
    return mayReach(address) ? undefined : new AddressRefused();
  } catch (cause) {
    return cause as Error;
  }
}

/** Reads the rest of an answer and forgets it. Whatever happens to it: the status has come. */
async function drain(response: IncomingMessage): Promise<void> {
  try {
    await finished(response.resume());
  } catch {
    // Cut, too slow, or too long.
  } finally {
    response.destroy();
  }
}

function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const seconds = headers['retry-after'] ?? '';
  return /^\d{1,9}$/.test(seconds) ? Math.min(Number(seconds) * 1000, longestRetryAfterMs) : undefined;
}

function failureOf(cause: unknown): SendFailure {
  if (cause instanceof AddressRefused) return 'address_refused';
  const { code = '' } = cause as { code?: string };
  if (/^E(NOTFOUND|NODATA|BADNAME|SERVFAIL|REFUSED)$/.test(code)) return 'address_refused';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ETIMEDOUT' || code === 'ETIMEOUT') return 'timeout';
  return /CERT|^ERR_TLS|^UNABLE_TO|SELF_SIGNED/.test(code) ? 'certificate_invalid' : 'connection_failed';
}

/**
 * Asks the name servers itself, and not the system: that would keep threads busy with which files are read and synced,
 * for as long as the name server of somebody's webhook likes.
 */
async function resolveName(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [four, six].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}
