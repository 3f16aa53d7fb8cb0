import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a service, which can interrupt the network and restore it. */
export interface NetworkProxy {
  readonly port: number;
  /** Stops forwarding without notice, as if all packets were dropped. */
  cut(): void;
  /** Resets every connection, and every new one too. */
  refuse(): void;
  /** Forwards what `cut` has held back, and accepts new connections again. */
  restore(): void;
  close(): Promise<void>;
}

/** Forwards the connections to a free port of 127.0.0.1 to another port of it. */
export async function startProxy(targetPort: number): Promise<NetworkProxy> {
  const links = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'refusing' = 'open';

  const listener = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (near) => {
    // Both sockets have error listeners from the start: an error is passed on, never thrown.
    near.on('error', () => {});
    if (state === 'refusing') {
      reset(near);
      return;
    }
    const far = connect({ host: '127.0.0.1', port: targetPort, allowHalfOpen: true, noDelay: true });
    const link = [near, far] as const;
    links.add(link);
    forward(near, far);
    forward(far, near);
    for (const end of link) end.once('close', () => links.delete(link));
    if (state === 'cut') pause(link);
    else near.resume();
  });

  /** Forwards by hand, because `pipe` would resume a paused socket. */
  function forward(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (to.write(chunk)) return;
      from.pause();
      to.once('drain', () => {
        if (state === 'open') from.resume();
      });
    });
    from.once('end', () => to.end());
    from.once('error', () => reset(to));
    from.once('close', () => to.destroySoon());
  }

  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    port: (listener.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      for (const link of links) pause(link);
    },
    refuse() {
      state = 'refusing';
      for (const link of links) for (const end of link) reset(end);
    },
    restore() {
      state = 'open';
      for (const link of links) for (const end of link) end.resume();
    },
    async close() {
      listener.close();
      for (const link of links) for (const end of link) end.destroy();
      await once(listener, 'close');
    },
  };
}

function pause(link: readonly [Socket, Socket]): void {
  for (const end of link) end.pause();
}

/** Node cannot reset a socket that is ending; it would keep that socket, and the process would never end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
