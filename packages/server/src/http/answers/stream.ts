import type { Socket } from 'node:net';
import { type BufferBudget, type Client, type Hold, uncountedBytes } from '../memory/buffer-budget.js';
import type { Sent } from '../requests/exchange.js';
import type { BufferedBody } from './buffered-body.js';

/** What a streamed answer is written to: one of Node's responses, or a bare connection. */
export interface Response {
  readonly headersSent: boolean;
  /** `done` is called when the bytes were sent, or can no longer be sent. */
  write(chunk: Buffer, done: () => void): boolean;
  end(): void;
  destroy(): void;
}

export interface StreamOptions {
  readonly socket: Socket;
  readonly response: Response;
  readonly budget: BufferBudget;
  readonly client: Client;
  readonly sendHead: () => void;
}

export interface SliceOptions extends Pick<StreamOptions, 'socket' | 'response' | 'budget'> {
  readonly exchange: { readonly hold: Hold | undefined };
}

interface StreamedAnswer {
  readonly isEndless?: boolean | undefined;
  /** With `Content-Length`, if it is known. */
  readonly headers: readonly string[];
  readonly body: AsyncIterable<Buffer>;
}

/** The most that a stream usually has in memory: the buffer that a blob store reads into. */
const streamBytes = 256 * 1024;
/** The same of lines: an item of 400 KB is a row, a text, a line and its bytes before the client has read it. */
const linesBytes = 1024 * 1024;

/** What TLS gets of an answer at once. 1,200 files of 250 KB at once, each in one write, ended servers in 256 MiB. */
const sliceBytes = 64 * 1024;

/**
 * Whether an answer in memory is written in slices. TLS encrypts everything that is written at once, into as much memory
 * again, which nobody counts and which the allocator of C gives back late.
 */
export function isSliced(socket: Socket, size: number): boolean {
  return size > sliceBytes && (socket as { readonly encrypted?: boolean }).encrypted === true;
}

/** Writes an answer in slices, each when the one before has left, and counts it until the client has read it. */
export async function writeInSlices(
  { bytes, encoding }: BufferedBody,
  { socket, response, budget, exchange }: SliceOptions,
): Promise<void> {
  const hold = exchange.hold ?? budget.hold();
  const all = typeof bytes === 'string' ? Buffer.from(bytes, encoding) : bytes;
  hold.resize(all.length);
  for (let at = 0; at < all.length && !socket.destroyed; at += sliceBytes) {
    hold.waitForClient(() => socket.destroy());
    await write(socket, response, all.subarray(at, at + sliceBytes));
  }
  hold.release();
}

/**
 * Writes a body as fast as the client reads it. Nothing is read from the store before the budget has room; what an
 * endless body gives waits for room, or ends the stream. A failure ends the connection, unless nothing was sent yet:
 * then the caller can send a different answer.
 */
export async function stream(
  { headers, body, isEndless = false }: StreamedAnswer,
  { socket, response, budget, sendHead, client }: StreamOptions,
): Promise<Sent> {
  let bytes = 0;
  const hold = budget.hold(0, client);
  const cutOff = () => response.destroy();

  async function send(chunk: Buffer): Promise<void> {
    // The head waits for the first bytes: until then, a status can report that the store is unavailable.
    if (!response.headersSent) sendHead();
    bytes += chunk.length;
    hold.waitForClient(cutOff);
    await write(socket, response, chunk);
    hold.onStalled = undefined;
  }

  /** Returns false at the end. A function, since a loop would keep what it has sent last until there is more. */
  async function sendNext(chunks: AsyncIterator<Buffer>): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done || socket.destroyed) return false;
    if (value.length > uncountedBytes) await budget.reserve(hold, value.length);
    for (let at = 0; at < value.length && !socket.destroyed; at += streamBytes)
      await send(value.subarray(at, at + streamBytes));
    hold.resize(0);
    return true;
  }

  try {
    if (isEndless) {
      const chunks = body[Symbol.asyncIterator]();
      try {
        while (await sendNext(chunks));
      } finally {
        await chunks.return?.();
      }
    } else {
      await reserve(budget, hold, { headers, body });
      for await (const chunk of body) {
        if (socket.destroyed) break;
        await send(chunk);
      }
    }
    if (!response.headersSent) sendHead();
    response.end();
    return { bytes };
  } catch (failure) {
    if (!response.headersSent) return { bytes, failure, isUnsent: true };
    response.destroy();
    return { bytes, failure };
  } finally {
    hold.release();
  }
}

async function reserve(budget: BufferBudget, hold: Hold, { headers, body }: StreamedAnswer): Promise<void> {
  const at = headers.indexOf('Content-Length');
  const bytes = at === -1 ? linesBytes : Math.min(Number(headers[at + 1]), streamBytes);
  try {
    await budget.reserve(hold, bytes);
  } catch (cause) {
    // The body is not read: release what it has open.
    await body[Symbol.asyncIterator]().return?.();
    throw cause;
  }
}

/**
 * Resolves when the bytes have left this process, so that their buffer may be used again, or when the client has gone.
 * A response that waits for others on its connection does not get the event of the connection's end, so this listens
 * to the socket.
 */
function write(socket: Socket, response: Pick<Response, 'write'>, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.removeListener('close', done);
      resolve();
    };
    socket.once('close', done);
    response.write(chunk, done);
  });
}
