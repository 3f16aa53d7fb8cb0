import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface CuttingProxy {
  readonly url: string;
  /** How many connections it has cut. */
  readonly cuts: number;
}

/**
 * A way to the service that closes a connection once this many bytes of answers have passed. The numbers are of the
 * connections, in their order; those after the last number stay whole.
 */
export async function cuttingProxy(
  test: TestContext,
  serviceUrl: string,
  ...bytesBeforeCut: number[]
): Promise<CuttingProxy> {
  const { port } = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    let left = bytesBeforeCut.shift() ?? Number.POSITIVE_INFINITY;
    const service = connect(Number(port), '127.0.0.1');
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        service.destroy();
      });
    }
    client.pipe(service);
    service.on('data', (chunk: Buffer) => {
      if (chunk.length <= left) {
        left -= chunk.length;
        if (!client.write(chunk)) {
          service.pause();
          client.once('drain', () => service.resume());
        }
        return;
      }
      cuts++;
      service.pause();
      client.end(chunk.subarray(0, left), () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return cuts;
    },
  };
}
