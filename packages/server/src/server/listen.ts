import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { ListenAddress } from '../config/values.js';
import { OperatorError } from '../operator-error.js';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; give another',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
};

/** An address, and the setting that gave it. */
type GivenAddress = ListenAddress & { readonly setting: string };

/** Listens on an address for a moment. Throws what `listen` throws. */
export async function checkAddress(at: GivenAddress): Promise<void> {
  const server = createServer();
  await listen(server, at);
  server.close();
  await once(server, 'close');
}

/** Listens on an address. Throws an `OperatorError` that names the setting if that fails. */
export function listen(server: Server, at: GivenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, at));
    server.once('error', onError);
    server.listen({ host: at.host, port: at.port }, () => {
      server.removeListener('error', onError);
      resolve();
    });
  });
}

function cannotListen(cause: NodeJS.ErrnoException, { host, port, setting }: GivenAddress): OperatorError {
  const known = reasons[cause.code ?? ''] ?? cause.message;
  const reason = cause.code === 'EADDRINUSE' ? `${known} ${setting}` : known;
  return new OperatorError(`Cannot listen on ${host} port ${port}: ${reason}`, { cause });
}
