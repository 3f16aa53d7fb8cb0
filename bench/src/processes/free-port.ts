import { createServer } from 'node:net';

const lowest = 15_000;
const highest = 30_000;

/** The first of several consecutive ports that are free, below those from which outgoing connections take theirs. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest));
    const ports = Array.from({ length: count }, (_, n) => first + n);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A port of 127.0.0.1 that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}
