import type { Socket } from 'node:net';
import { openSocket } from '../open-socket.js';
import type { Target } from '../target.js';

export interface SlowBulk {
  /** The number of connections that the server has not closed. */
  readonly open: number;
  stop(): void;
}

/** Each connection sends one byte of its import per interval. */
const byteIntervalMs = 200;
const itemsAtOnce = 5000;

/**
 * Opens imports that send 1.5 MB of lines at once and then a byte now and then, and exports of `base` that are never
 * read. All of them hold what the service gives them until `stop`.
 */
export async function openSlowBulk(
  target: Target,
  { base, imports, exports }: { readonly base: string; readonly imports: number; readonly exports: number },
): Promise<SlowBulk> {
  const sockets = new Set<Socket>();
  const path = `/v1/${target.project}/${base}/items`;
  const own = `Host: slow\r\nX-API-Key: ${target.key}\r\n`;
  const lines = Array.from({ length: itemsAtOnce }, (_, n) =>
    JSON.stringify({ key: `slow${n}`, text: 'x'.repeat(270) }),
  );
  const body = `${lines.join('\n')}\n`;
  const head = `PUT ${path} HTTP/1.1\r\n${own}Content-Type: application/x-ndjson\r\nContent-Length: 1000000000\r\n\r\n`;

  async function open(text: string): Promise<Socket> {
    const socket = await openSocket(target, { noDelay: true });
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.write(text);
    return socket;
  }

  for (let n = 0; n < exports; n++) (await open(`GET ${path} HTTP/1.1\r\n${own}\r\n`)).pause();
  const importing: Socket[] = [];
  for (let n = 0; n < imports; n++) importing.push((await open(head + body)).resume());
  const timer = setInterval(() => {
    for (const socket of importing) socket.write(' ');
  }, byteIntervalMs);
  return {
    get open() {
      return sockets.size;
    },
    stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
