import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
}

/** A connection on which anything may be written, HTTP or not, as many requests as one likes. */
export interface RawConnection {
  write(bytes: string | Buffer): void;
  /** Ends our side. */
  end(): void;
  /** The next answer. `HEAD` has none of the body it announces. Rejects when the connection ends before it. */
  reply(method?: 'HEAD'): Promise<RawReply>;
  /** Resolves when the first bytes of an answer have come. */
  begun(): Promise<void>;
  /** Reads on when the connection was opened `paused`: until then no more is read than the first bytes. */
  resume(): void;
  /** Resolves when the server has closed. */
  readonly closed: Promise<unknown>;
  destroy(): void;
}

const silenceMs = 30_000;

export async function openRaw(url: URL, { paused = false } = {}): Promise<RawConnection> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const socket: Socket = secure
    ? connectSecurely({ host, port, servername: host, ALPNProtocols: ['http/1.1'] })
    : connect({ host, port });
  // An answer or an end that does not come fails the test, instead of holding it up for ever.
  socket.setTimeout(silenceMs, () => socket.destroy());
  let received = Buffer.alloc(0);
  let ended = false;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (paused) socket.pause();
    socket.emit('more');
  });
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('timeout', () => reject(new Error(`The server was silent for ${silenceMs} ms`)));
    socket.once('close', resolve);
  });
  // Not everybody waits for the end.
  closed.catch(() => {});
  socket.on('close', () => {
    ended = true;
    socket.emit('more');
  });
  // A reset is an end as well: `reply` says so to whoever waits.
  socket.on('error', () => {});
  await once(socket, secure ? 'secureConnect' : 'connect');

  async function take<T>(look: (bytes: Buffer, ended: boolean) => { value: T; used: number } | undefined) {
    for (;;) {
      const found = look(received, ended);
      if (found !== undefined) {
        received = received.subarray(found.used);
        return found.value;
      }
      if (ended) throw new Error(`The connection ended before an answer; received: ${received.toString()}`);
      await once(socket, 'more');
    }
  }

  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    reply: (method) => take((bytes, atEnd) => parseReply(bytes, atEnd, method === 'HEAD')),
    async begun() {
      while (received.length === 0 && !ended) await once(socket, 'more');
    },
    resume() {
      paused = false;
      socket.resume();
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

/** The length of the body on the wire; undefined when the end of the connection ends it. */
function lengthOf(bytes: Buffer, start: number, headers: Record<string, string>, bodiless: boolean) {
  if (bodiless) return 0;
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  if (headers['transfer-encoding'] !== 'chunked') return undefined;
  const end = bytes.indexOf('0\r\n\r\n', start);
  return end === -1 ? Number.POSITIVE_INFINITY : end + 5 - start;
}
