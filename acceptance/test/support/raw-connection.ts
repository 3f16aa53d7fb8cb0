import { once } from 'node:events';
import { type Address, openSocket } from '../../src/open-socket.js';

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
}

/** What an error shows of what was received. */
const shownBytes = 1000;

/** A connection on which a test writes any bytes and reads the answers one by one. */
export interface RawConnection {
  write(bytes: string | Buffer): void;
  /** Ends the client's side. */
  end(): void;
  /** The next answer; an answer to `HEAD` has no body. Rejects if the connection ends before it. */
  reply(method?: 'HEAD'): Promise<RawReply>;
  /** Resolves when the first bytes of an answer have arrived. */
  answerStarted(): Promise<void>;
  /** Continues to read a connection that was opened `paused`, which reads only the first bytes. */
  resume(): void;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<unknown>;
  destroy(): void;
}

const timeoutMs = 30_000;

export async function openRaw(target: Address, { paused = false } = {}): Promise<RawConnection> {
  const socket = await openSocket(target);
  // A missing answer or end fails the test instead of blocking it forever.
  socket.once('timeout', () => socket.destroy());
  socket.setTimeout(timeoutMs);
  let received = Buffer.alloc(0);
  let ended = false;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (paused) socket.pause().setTimeout(0);
    socket.emit('more');
  });
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('timeout', () => reject(new Error(`The server sent nothing for ${timeoutMs} ms`)));
    socket.once('close', resolve);
  });
  // A test need not wait for the end.
  closed.catch(() => {});
  socket.on('close', () => {
    ended = true;
    socket.emit('more');
  });
  // A reset ends the connection too; `reply` then rejects.
  socket.on('error', () => {});

  async function take<T>(look: (bytes: Buffer, ended: boolean) => { value: T; used: number } | undefined) {
    for (;;) {
      const found = look(received, ended);
      if (found !== undefined) {
        received = received.subarray(found.used);
        return found.value;
      }
      if (ended) {
        const begin = received.toString('utf8', 0, shownBytes);
        throw new Error(`The connection ended before an answer; received ${received.length} bytes: ${begin}`);
      }
      await once(socket, 'more');
    }
  }

  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    reply: (method) => take((bytes, atEnd) => parseReply(bytes, atEnd, method === 'HEAD')),
    async answerStarted() {
      while (received.length === 0 && !ended) await once(socket, 'more');
    },
    resume() {
      paused = false;
      socket.resume().setTimeout(timeoutMs);
    },
    closed,
    destroy: () => socket.destroy(),
  };
}

function parseReply(bytes: Buffer, atEnd: boolean, bodiless: boolean) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  const start = headEnd + 4;
  const length = lengthOf(
    bytes,
    start,
    headers,
    bodiless || status === 204 || status === 304 || status < 200,
  );
  const used = length === undefined ? bytes.length : start + length;
  if (used > bytes.length || (length === undefined && !atEnd)) return undefined;
  const body = bytes.subarray(start, used);
  return { value: { status, headers, body, text: body.toString() } satisfies RawReply, used };
}

/** The encoded length of the body; undefined if it ends with the connection. */
function lengthOf(bytes: Buffer, start: number, headers: Record<string, string>, bodiless: boolean) {
  if (bodiless) return 0;
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  if (headers['transfer-encoding'] !== 'chunked') return undefined;
  const end = bytes.indexOf('0\r\n\r\n', start);
  return end === -1 ? Number.POSITIVE_INFINITY : end + 5 - start;
}
