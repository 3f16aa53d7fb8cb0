import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { BasedriveError, codeOf } from '../../error.js';
import { readRetryAfter } from '../../retry.js';
import type { ProjectAddress } from './address.js';

/**
 * A request of the project. All of them may be repeated after a lost answer: the second time changes nothing that is
 * stored. So items are sent with keys. A second upload that begins is dropped by the service (docs/http.md#abandoned-uploads).
 */
export interface Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1/{project}`. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
}

export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * It must be read, or its connection stays taken. Reading it throws `ConnectionLost` when the connection ends before
   * the body.
   */
  readonly body: AsyncIterable<Buffer>;
}

export interface WholeAnswer {
  readonly status: number;
  readonly text: string;
  /** The id of the request in the log of the server. */
  readonly requestId: string | undefined;
  /** Where a redirect leads. */
  readonly location?: string | undefined;
  /** The time of the server. */
  readonly date?: string | undefined;
}

/** The connection, or the server, failed before the whole answer had arrived. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** The status of an answer that asks for a repeat; 0 if there was none. */
  readonly status: number;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    {
      status = 0,
      retryAfterMs = 0,
      cause,
    }: { readonly status?: number; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A connection on which nothing has arrived for this long is given up. */
const silenceMs = 60_000;
const firstPauseMs = 50;
const maxPauseMs = 5000;
/** For how long a server may be unreachable, or refuse to work, before an export or import gives up. */
const patienceMs = 60_000;

/**
 * Decides how often something is tried again. Progress makes it patient anew. Throws what failed when patience is at
 * its end.
 */
export interface Patience {
  failed(cause: ConnectionLost): Promise<void>;
  progressed(): void;
}

export function createPatience({ signal }: ProjectAddress, limitMs = patienceMs): Patience {
  let sinceMs: number | undefined;
  let pauseMs = firstPauseMs;
  return {
    async failed(cause) {
      sinceMs ??= performance.now();
      const { status, message, retryAfterMs } = cause;
      // A server that is busy is there: it is worth waiting for.
      const limit = status === 429 ? patienceMs : limitMs;
      if (performance.now() - sinceMs > limit || retryAfterMs > limit)
        throw new BasedriveError(status === 0 ? 'network' : codeOf(status), message, { status, cause });
      await wait(Math.max(pauseMs, retryAfterMs), undefined, { signal });
      // A wait that the server asks of a key with a rate is no failure.
      if (status === 429) sinceMs += retryAfterMs;
      pauseMs = Math.min(maxPauseMs, pauseMs * 2);
    },
    progressed() {
      sinceMs = undefined;
      pauseMs = firstPauseMs;
    },
  };
}

/**
 * Sends a request and gives the answer before its body is read. Throws `ConnectionLost`, also for 429 and 5xx: the
 * request may be repeated.
 */
export async function open(address: ProjectAddress, call: Call): Promise<OpenAnswer> {
  const message = await begin(address, call);
  const status = message.statusCode ?? 0;
  if (status === 429 || status >= 500) {
    const said = await text(message).catch(() => '');
    const retryAfterMs = readRetryAfter(message.headers['retry-after'] ?? null);
    throw new ConnectionLost(`${address.shown} answers ${status}: ${messagesOf(said).join('; ')}`, {
      status,
      retryAfterMs,
    });
  }
  return { status, headers: message.headers, body: bodyOf(message, address) };
}

/**
 * Sends a request, repeats it until it is answered, and gives the whole answer, a success or one of the other statuses
 * that the caller expects. Throws a `BasedriveError` for any other status, a redirect too, and if the server stays
 * unreachable.
 */
export async function ask(
  address: ProjectAddress,
  call: Call,
  expected: readonly number[] = [],
  patience = createPatience(address),
): Promise<WholeAnswer> {
  return await untilAnswered(patience, async () => {
    const answer = await wholeAnswer(await open(address, call));
    const isSuccess = answer.status >= 200 && answer.status < 300;
    if (isSuccess || expected.includes(answer.status)) return answer;
    throw refused(address, answer);
  });
}

/** Does `work` again as long as it throws `ConnectionLost` and patience is not at its end. */
export async function untilAnswered<T>(patience: Patience, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof ConnectionLost)) throw cause;
      await patience.failed(cause);
    }
  }
}

/** Reads an answer to its end. Throws `ConnectionLost`. */
export async function wholeAnswer({ status, headers, body }: OpenAnswer): Promise<WholeAnswer> {
  const { date, location, 'x-request-id': requestId } = headers;
  return { status, text: await text(body), requestId: requestId?.toString(), location, date };
}

/** The error for an answer with this status and body. */
export function refused(address: ProjectAddress, answer: WholeAnswer): BasedriveError {
  const { status, text: said, requestId, location } = answer;
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  const errors = isRedirect ? [`redirects to ${location}: give that address instead`] : messagesOf(said);
  const where = status === 401 ? `${address.shown} does not accept the key` : address.shown;
  const facts = { status, errors, ...(requestId === undefined ? {} : { requestId }) };
  return new BasedriveError(codeOf(status), `${where}: ${errors.join('; ')} (status ${status})`, facts);
}

/** The JSON of an answer. Throws code `unexpected` for one that does not come from Basedrive. */
export function jsonOf<T>(
  { shown }: ProjectAddress,
  { status, text: said }: Pick<WholeAnswer, 'status' | 'text'>,
): T {
  try {
    return JSON.parse(said) as T;
  } catch {
    throw new BasedriveError('unexpected', `${shown}: the answer is not JSON`, { status });
  }
}

/** The messages of the server in the body of an error. */
export function messagesOf(body: string): readonly string[] {
  try {
    const { errors } = JSON.parse(body) as { errors?: unknown };
    if (Array.isArray(errors)) return errors.map(String);
  } catch {
    // 413 of the file API is a page, and a proxy answers as it likes.
  }
  return [/<h1>(.*?)<\/h1>/.exec(body)?.[1] ?? 'no reason given'];
}

function begin(address: ProjectAddress, call: Call): Promise<IncomingMessage> {
  const { send, root, key, signal } = address;
  const options = signal === undefined ? address.options : { ...address.options, signal };
  return new Promise((resolve, reject) => {
    const length = call.body === undefined ? {} : { 'Content-Length': call.body.length };
    const headers = { ...call.headers, ...length, 'X-API-Key': key };
    const sent = send({ ...options, method: call.method, path: root + call.path, headers }, resolve);
    sent.setTimeout(silenceMs, () => sent.destroy(new Error(`nothing arrived for ${silenceMs / 1000} s`)));
    sent.on('error', (cause) => reject(lost(address, cause)));
    sent.once('socket', (socket) => {
      // A server may answer and close before it has read the body. Then nobody else listens for the failed write.
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
    });
    sent.end(call.body);
  });
}

const ignore = () => {};

async function* bodyOf(message: IncomingMessage, address: ProjectAddress): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of message) yield chunk as Buffer;
  } catch (cause) {
    throw lost(address, cause as Error);
  }
}

/** An aborted request is not repeated. */
function lost({ shown, signal }: ProjectAddress, cause: Error): Error {
  if (signal?.aborted) return cause;
  // Node gives no message when no address of a host answers.
  const why = cause.message || (cause as NodeJS.ErrnoException).code;
  return new ConnectionLost(`${shown} cannot be reached: ${why}`, { cause });
}
