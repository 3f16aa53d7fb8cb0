import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire to a part, which can be broken and mended. */
export interface NetworkProxy {
  readonly port: number;
  /** Nothing goes through any more, and nobody is told: as when packets are dropped on the way. */
  cut(): void;
  /** Every connection is reset, and each new one too. */
  refuse(): void;
  /** What was held back by `cut` goes on its way, and new connections are let through again. */
  restore(): void;
  close(): Promise<void>;
}

/** Forwards connections of a free port of 127.0.0.1 to another port there. */
export async function startProxy(targetPort: number): Promise<NetworkProxy> {
  const wires = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'refusing' = 'open';

  const entrance = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (near) => {
    // Both have their listeners from the first moment on: a break is passed on, never thrown.
    near.on('error', () => {});
    if (state === 'refusing') {
      reset(near);
      return;
    }
    const far = connect({ host: '127.0.0.1', port: targetPort, allowHalfOpen: true, noDelay: true });
    const wire = [near, far] as const;
    wires.add(wire);
    join(near, far);
    join(far, near);
    for (const end of wire) end.once('close', () => wires.delete(wire));
    if (state === 'cut') pause(wire);
    else near.resume();
  });

  /** By hand and not by `pipe`, which resumes by itself. */
  function join(from: Socket, to: Socket): void {
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

  entrance.listen(0, '127.0.0.1');
  await once(entrance, 'listening');

  return {
    port: (entrance.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      for (const wire of wires) pause(wire);
    },
    refuse() {
      state = 'refusing';
      for (const wire of wires) for (const end of wire) reset(end);
    },
    restore() {
      state = 'open';
      for (const wire of wires) for (const end of wire) end.resume();
    },
    async close() {
      entrance.close();
      for (const wire of wires) for (const end of wire) end.destroy();
      await once(entrance, 'close');
    },
  };
}

function pause(wire: readonly [Socket, Socket]): void {
  for (const end of wire) end.pause();
}

/** Node lets go of a socket that it cannot reset, and cannot reset one that is ending: its process would never end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
