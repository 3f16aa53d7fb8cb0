import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface RoundRobin {
  readonly url: URL;
  /** Connections that went to each server, in the order of their ports. */
  readonly shares: () => readonly number[];
  close(): Promise<void>;
}

/**
 * One address for several servers: each connection goes to the next of them, byte for byte, so that what a test sees of
 * HTTP is the server's own. Either side's end is passed on as it comes, behind what it sent before.
 */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const shares = ports.map(() => 0);
  const open = new Set<Socket>();
  let next = 0;

  const entrance = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const turn = next++ % ports.length;
    shares[turn] = (shares[turn] ?? 0) + 1;
    const server = connect({ host: '127.0.0.1', port: ports[turn] ?? 0, allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      // What came before the break goes out first: an answer may be followed by a reset at once.
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
