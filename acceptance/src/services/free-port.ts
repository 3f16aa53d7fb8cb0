import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of 127.0.0.1 that is free at the moment, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const lowest = 15_000;
const highest = 30_000;
const tries = 100;

/**
 * The first of `count` consecutive free ports. They are below the range of ephemeral ports, from which an outgoing
 * connection could take one at any time.
 */
export async function freePorts(count: number): Promise<number> {
  for (let left = tries; left > 0; left--) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest));
    const ports = Array.from({ length: count }, (_, n) => first + n);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
  throw new Error(`No ${count} consecutive ports are free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
