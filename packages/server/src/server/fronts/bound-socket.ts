import { once } from 'node:events';
import * as net from 'node:net';
import { createServer, type Server } from 'node:net';
import type { ListenAddress } from '../../config/values.js';
import { OperatorError } from '../../operator-error.js';
import { listen } from '../listen.js';

/** What Node's own cluster module makes its shared sockets with. */
interface BoundHandle {
  readonly fd: number;
  close(): void;
}

type CreateHandle = (address: string, port: number, family: number) => BoundHandle | number;

/**
 * Binds a socket, which does not accept: processes that are given its descriptor do. It is kept by this process, so that
 * what clients have sent waits while no front is there. A server of Node would accept connections itself, so this takes
 * what Node's cluster takes. Throws an `OperatorError` that names the setting if the address cannot be used.
 */
export async function bindSocket(at: ListenAddress & { readonly setting: string }) {
  const create = (net as unknown as { readonly _createServerHandle?: CreateHandle })._createServerHandle;
  if (create === undefined) throw new OperatorError('--workers: does not work with this version of Node');
  // It finds the address and the port, and says what is wrong with them.
  const found = createServer();
  await listen(found, at);
  const { address, port, family } = addressOf(found);
  found.close();
  await once(found, 'close');
  const handle = create(address, port, family === 'IPv6' ? 6 : 4);
  if (typeof handle === 'number')
    throw new OperatorError(`Cannot listen on ${at.host} port ${port}: another process has taken it`);
  return { port, descriptor: handle.fd, close: () => handle.close() };
}

function addressOf(server: Server): net.AddressInfo {
  return server.address() as net.AddressInfo;
}
