import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { App } from '../app.js';
import { isNoServer, listenIn } from './socket.js';
import { withShortSocketPath } from './socket-path.js';

/**
 * The HTTP API on a Unix socket in the data folder, for commands of the folder's owner: they need no key, and they reach
 * the server whatever address and certificate it has. Only the owner can open the socket.
 */
const socketName = 'api.sock';
const idleMs = 65_000;

/** The server's side. Call it only after the rows of the folder were opened: it replaces what a crash left. */
export async function openOwnerSocket(
  folder: string,
  app: Pick<App, 'attachForOwner'>,
): Promise<{ close(): Promise<void> }> {
  const path = join(folder, socketName);
  const server = createServer({ keepAliveTimeout: idleMs, maxHeaderSize: 32_768 });
  // Node does not know the connections that the fast path has.
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  app.attachForOwner(server);
  await listenIn(server, path);
  return {
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        // A command that is cut off says so, and goes on where it was when it is run again.
        for (const socket of connections) socket.destroy();
      });
      await rm(path, { force: true });
    },
  };
}

/**
 * The command's side: gives `work` a path of the socket that can be connected to as long as it works. Gives undefined
 * if no server listens in the folder.
 */
export async function withOwnerSocket<T>(
  folder: string,
  work: (socketPath: string) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  return await withShortSocketPath(join(folder, socketName), async (short) =>
    (await isServed(short)) ? { result: await work(short) } : undefined,
  );
}

function isServed(socketPath: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: '/health', agent: false }, (response) => {
      response.resume();
      resolve(true);
    });
    call.once('error', (cause) => (isNoServer(cause) ? resolve(false) : reject(cause)));
    call.end();
  });
}
