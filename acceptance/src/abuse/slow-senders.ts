import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Target } from '../target.js';

export interface SlowSenders {
  /** Those whose connection the server has not ended yet. */
  readonly open: number;
  /** Resolves when the server has ended all of them. */
  readonly ended: Promise<void>;
  /** How many were told 408 before. */
  readonly toldTooSlow: number;
  stop(): void;
}

/** Each sends one byte in this time. */
const dripMs = 500;
const connectAtOnce = 50;

/** Connections that never come to the end of a request: half of them drip a head, half of them a body. */
export async function openSlowSenders(target: Target, count: number): Promise<SlowSenders> {
  const sockets = new Set<Socket>();
  let toldTooSlow = 0;
  let allEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    allEnded = resolve;
  });

  async function open(n: number): Promise<void> {
    const socket = connect({ port: Number(target.url.port), host: target.url.hostname, noDelay: true });
    sockets.add(socket);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (answer.startsWith('HTTP/1.1 408 ')) toldTooSlow++;
      if (sockets.size === 0) allEnded();
    });
    await once(socket, 'connect');
    socket.write(beginning(target, n));
  }

  for (let at = 0; at < count; at += connectAtOnce) {
    await Promise.all(Array.from({ length: Math.min(connectAtOnce, count - at) }, (_, n) => open(at + n)));
  }
  const drip = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, dripMs);
  return {
    get open() {
      return sockets.size;
    },
    get toldTooSlow() {
      return toldTooSlow;
    },
    ended,
    stop() {
      clearInterval(drip);
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
