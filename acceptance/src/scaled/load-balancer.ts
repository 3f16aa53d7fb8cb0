import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createRandom } from '../random.js';

export interface LoadBalancer {
  readonly url: URL;
  /** The number of connections to each server, in the order of the ports. */
  readonly shares: () => readonly number[];
  close(): Promise<void>;
}

/**
 * A TCP load balancer: each connection goes to a server chosen at random, byte for byte, so that a test sees the server's
 * own HTTP. In turn would not do: of two tests that send alternately, each would only ever reach one of two servers.
 * When one side ends the connection, that is passed on after everything that it sent before.
 */
export async function startLoadBalancer(ports: readonly number[]): Promise<LoadBalancer> {
  const shares = ports.map(() => 0);
  const open = new Set<Socket>();
  const random = createRandom(1);

  const entrance = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const turn = random.int(ports.length);
    shares[turn] = (shares[turn] ?? 0) + 1;
    const server = connect({ host: '127.0.0.1', port: ports[turn] ?? 0, allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      // What came before the error is sent first: an answer may be followed by a reset at once.
      from.once('error', () => to.destroySoon());
      from.once('close', () => open.delete(from));
    }
  });
  entrance.listen(0, '127.0.0.1');
  await once(entrance, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(entrance.address() as AddressInfo).port}`),
    shares: () => shares,
    async close() {
      entrance.close();
      for (const socket of open) socket.destroy();
      await once(entrance, 'close');
    },
  };
}
