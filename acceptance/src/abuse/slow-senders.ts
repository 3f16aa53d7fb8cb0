import type { Socket } from 'node:net';
import { openSocket } from '../open-socket.js';
import type { Target } from '../target.js';

export interface SlowSenders {
  /** The number of connections that the server has not closed yet. */
  readonly open: number;
  /** Resolves when the server has closed all of them. */
  readonly ended: Promise<void>;
  /** How many of the closed connections were answered with 408. */
  readonly timedOut: number;
  stop(): void;
}

/** Each connection sends one byte per interval. */
const byteIntervalMs = 500;
const connectConcurrency = 50;

/** Opens connections that never complete a request: half of them send a head byte by byte, half of them a body. */
export async function openSlowSenders(target: Target, count: number): Promise<SlowSenders> {
  const sockets = new Set<Socket>();
  let closed = 0;
  let timedOut = 0;
  let allEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    allEnded = resolve;
  });

  async function open(n: number): Promise<void> {
    const socket = await openSocket(target, { noDelay: true });
    sockets.add(socket);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (answer.startsWith('HTTP/1.1 408 ')) timedOut++;
      closed++;
      if (closed === count) allEnded();
    });
    socket.write(beginning(target, n));
  }

  for (let at = 0; at < count; at += connectConcurrency) {
    await Promise.all(
      Array.from({ length: Math.min(connectConcurrency, count - at) }, (_, n) => open(at + n)),
    );
  }
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, byteIntervalMs);
  return {
    get open() {
      return sockets.size;
    },
    get timedOut() {
      return timedOut;
    },
    ended,
    stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function beginning({ project, key }: Target, n: number): string {
  const root = `/v1/${project}/slow`;
  const own = `Host: slow\r\nX-API-Key: ${key}\r\n`;
  switch (n % 4) {
    case 0:
      return 'GET /';
    case 1:
      return `GET ${root}/items/k HTTP/1.1\r\n${own}X-Slow: `;
    case 2:
      return `PUT ${root}/items HTTP/1.1\r\n${own}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"`;
    default:
      return `POST ${root}/files?name=f${n} HTTP/1.1\r\n${own}Content-Length: 1000000\r\n\r\n`;
  }
}
