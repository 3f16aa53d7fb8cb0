import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for servers that come and go. */
export interface SwitchingProxy {
  readonly url: string;
  /** Where new connections lead; undefined: nowhere, they are closed. */
  target: string | undefined;
  /** Cuts all connections. */
  cut(): void;
  close(): void;
}

export async function switchingProxy(target?: string): Promise<SwitchingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.on('close', () => sockets.delete(client));
    if (proxy.target === undefined) return void client.destroy();
    const { hostname, port } = new URL(proxy.target);
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => {});
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: SwitchingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      proxy.cut();
    },
  };
  return proxy;
}
