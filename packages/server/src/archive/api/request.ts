import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { OperatorError } from '../../operator-error.js';
import type { ProjectAddress } from './address.js';

/** A request of the project. All of them may be repeated: each has the same effect the second time. */
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
}

/** The connection, or the server, failed before the whole answer had arrived. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The server refused a request: what it asks for breaks a rule. The messages are those of the server. */
export class Refused extends OperatorError {
  constructor(
    readonly status: number,
    readonly messages: readonly string[],
    where: string,
  ) {
    super(`${where}: ${messages.join('; ')} (status ${status})`);
  }

  /** Whether the request breaks a rule of what it stores, and not one of who may store it where. */
  get isAboutContent(): boolean {
    return [400, 409, 413, 415].includes(this.status);
  }
}

/** A connection on which nothing has arrived for this long is given up. */
const silenceMs = 60_000;
const firstPauseMs = 50;
const maxPauseMs = 5000;
/** For how long a server may be unreachable, or refuse to work, before a command gives up. */
const patienceMs = 60_000;

/**
 * Decides how often something is tried again. Progress makes it patient anew. Throws what failed when patience is at
 * its end.
 */
export interface Patience {
  failed(cause: ConnectionLost): Promise<void>;
  progressed(): void;
}

export function createPatience(limitMs = patienceMs): Patience {
  let sinceMs: number | undefined;
  let pauseMs = firstPauseMs;
  return {
    async failed(cause) {
      sinceMs ??= performance.now();
      if (performance.now() - sinceMs > limitMs) throw new OperatorError(cause.message, { cause });
      await wait(pauseMs);
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
    throw new ConnectionLost(`${address.shown} answers ${status}: ${messagesOf(said).join('; ')}`);
  }
  return { status, headers: message.headers, body: bodyOf(message, address) };
}

/**
 * Sends a request, repeats it until it is answered, and gives the whole answer, a success or one of the other statuses
 * that the caller expects. Throws `Refused` for any other 4xx, and `OperatorError` if the server stays unreachable.
 */
export async function ask(
  address: ProjectAddress,
  call: Call,
  expected: readonly number[] = [],
  patience = createPatience(),
): Promise<WholeAnswer> {
  for (;;) {
    try {
      const { status, body } = await open(address, call);
      const answer = { status, text: await text(body) };
      if (status < 400 || expected.includes(status)) return answer;
      throw refused(address, answer);
    } catch (cause) {
      if (!(cause instanceof ConnectionLost)) throw cause;
      await patience.failed(cause);
    }
  }
}

/** The error for an answer with this status and body. */
export function refused(address: ProjectAddress, { status, text: said }: WholeAnswer): Refused {
  const messages = messagesOf(said);
  const where = status === 401 ? `${address.shown} does not accept the key` : address.shown;
  return new Refused(status, messages, where);
}

function messagesOf(body: string): readonly string[] {
  try {
    const { errors } = JSON.parse(body) as { errors?: unknown };
    if (Array.isArray(errors)) return errors.map(String);
  } catch {
    // 413 of the file API is a page, and a proxy answers as it likes.
  }
  return [/<h1>(.*?)<\/h1>/.exec(body)?.[1] ?? 'no reason given'];
}

function begin({ send, options, root, key, shown }: ProjectAddress, call: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = call.body === undefined ? {} : { 'Content-Length': call.body.length };
    const headers = { ...call.headers, ...length, 'X-API-Key': key };
    const sent = send({ ...options, method: call.method, path: root + call.path, headers }, resolve);
    sent.setTimeout(silenceMs, () => sent.destroy(new Error(`nothing arrived for ${silenceMs / 1000} s`)));
    sent.on('error', (cause) => reject(lost(shown, cause)));
    sent.once('socket', (socket) => {
      // A server may answer and close before it has read the body. Then nobody else listens for the failed write.
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
    });
    sent.end(call.body);
  });
}

const ignore = () => {};

async function* bodyOf(message: IncomingMessage, { shown }: ProjectAddress): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of message) yield chunk as Buffer;
  } catch (cause) {
    throw lost(shown, cause as Error);
  }
}

function lost(shown: string, cause: Error): ConnectionLost {
  // Node gives no message when no address of a host answers.
  const why = cause.message || (cause as NodeJS.ErrnoException).code;
  return new ConnectionLost(`${shown} cannot be reached: ${why}`, { cause });
}
