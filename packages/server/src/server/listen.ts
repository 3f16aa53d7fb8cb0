import type { Server } from 'node:net';
import type { ListenAddress } from '../config/values.js';
import { OperatorError } from '../operator-error.js';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; give another',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
};

/** Listens on an address. Throws an `OperatorError` that names the setting if that fails. */
export function listen(server: Server, at: ListenAddress & { readonly setting: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, at));
    server.once('error', onError);
    server.listen({ host: at.host, port: at.port }, () => {
      server.removeListener('error', onError);
      resolve();
    });
  });
}

function cannotListen(
  cause: NodeJS.ErrnoException,
  { host, port, setting }: ListenAddress & { readonly setting: string },
): OperatorError {
  const known = reasons[cause.code ?? ''] ?? cause.message;
  const reason = cause.code === 'EADDRINUSE' ? `${known} ${setting}` : known;
  return new OperatorError(`Cannot listen on ${host} port ${port}: ${reason}`, { cause });
}
