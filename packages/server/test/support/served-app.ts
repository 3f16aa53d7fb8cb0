import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from '../../src/server/app.js';

export interface ServedApp {
  /** `http://127.0.0.1:…` */
  readonly origin: string;
  /** Closes the app, then all connections, and resolves when the server has ended. */
  close(): Promise<void>;
}

/** Serves an app on a free port of this machine. */
export async function servedApp(app: Pick<App, 'attach' | 'close'>): Promise<ServedApp> {
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  app.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await app.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
