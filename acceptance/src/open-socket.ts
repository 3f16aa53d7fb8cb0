import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Target } from './target.js';

export interface SocketOptions {
  /** Whether bytes are sent at once, in packets of their own. */
  readonly noDelay?: boolean;
  /** Whether this side stays open when the service has ended its own. */
  readonly allowHalfOpen?: boolean;
}

/** Where a connection leads, and the authority of the certificate, if only the target knows that. */
export type Address = Pick<Target, 'url' | 'authority'>;

/** A connection to the service, over TLS if its URL says so. Resolves when bytes can be sent over it. */
export async function openSocket(
  { url, authority: ca }: Address,
  options: SocketOptions = {},
): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const { noDelay = false, allowHalfOpen = false } = options;
  // RFC 6066 allows no address as the name of a server.
  const names = { ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) };
  const address = { host, port, allowHalfOpen };
  const socket = secure ? connectSecurely({ ...address, ...names, ca }) : connect(address);
  socket.setNoDelay(noDelay);
  await once(socket, secure ? 'secureConnect' : 'connect');
  return socket;
}
