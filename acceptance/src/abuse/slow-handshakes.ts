import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Target } from '../target.js';

/** How far a client gets with its handshake. `dripping` sends a byte of it per interval. */
export const handshakeShapes = ['nothing', 'half a hello', 'a hello', 'dripping'] as const;
export type HandshakeShape = (typeof handshakeShapes)[number];

export interface SlowHandshakes {
  /** The number of connections that the server has not closed yet. */
  readonly open: number;
  /** Resolves when the server has closed all of them. */
  readonly ended: Promise<void>;
  /** Ends the side of the client of each connection, or resets it; the server may close it later. */
  leave(how: 'end' | 'reset'): void;
  stop(): void;
}

const byteIntervalMs = 100;
const connectConcurrency = 50;

/** Opens connections to the port of HTTPS that never finish their handshake. */
export async function openSlowHandshakes(
  { url }: Pick<Target, 'url'>,
  shape: HandshakeShape,
  count: number,
): Promise<SlowHandshakes> {
  const hello = await clientHello();
  const sockets = new Set<Socket>();
  let sent = 0;
  let allEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    allEnded = resolve;
  });

  async function open(): Promise<void> {
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true });
    sockets.add(socket);
    socket.resume();
    // The server may reset the connection.
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) allEnded();
    });
    await once(socket, 'connect');
    if (shape === 'half a hello') socket.write(hello.subarray(0, hello.length / 2));
    else if (shape === 'a hello') socket.write(hello);
  }

  for (let at = 0; at < count; at += connectConcurrency) {
    await Promise.all(Array.from({ length: Math.min(connectConcurrency, count - at) }, open));
  }
  const drip = setInterval(() => {
    const byte = hello.subarray(sent, ++sent);
    for (const socket of shape === 'dripping' ? sockets : []) socket.write(byte);
  }, byteIntervalMs);
  return {
    get open() {
      return sockets.size;
    },
    ended,
    leave(how) {
      clearInterval(drip);
      for (const socket of sockets) {
        if (how === 'end') socket.end();
        else socket.resetAndDestroy();
      }
    },
    stop() {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The first bytes of a client of TLS. */
async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectSecurely({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}
