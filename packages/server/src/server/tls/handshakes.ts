import type { Server, Socket } from 'node:net';
import { refuse } from '../../http/connections/connection-guard.js';

/** What the log says of `answerPlainHttp`. */
export const plainHttpText = 'plain HTTP on the HTTPS port';

/**
 * A client that leaves within the handshake is let go at once, and so is one whose handshake fails. After the handshake a client
 * may end its side and still gets its answers: Node's own default there is to end the other side at once. Set for the whole
 * server, `allowHalfOpen` would keep connections that are left in the handshake until the handshake's time limit.
 *
 * Nothing can be sent before the handshake is finished: not even the end of the connection, so `end()` would wait for
 * ever. Node passes failures on to `clientError`, whose listener finds the socket destroyed.
 */
export function followHandshakes(server: Server): void {
  server.prependListener('tlsClientError', (_cause: Error, socket: Socket) => socket.destroy());
  server.prependListener('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
}

/**
 * Answers a client that sends plain HTTP to the HTTPS port. When Node reports it, the TLS socket is already destroyed,
 * but the connection below it can still be written to.
 */
export function answerPlainHttp(server: Server, open: ReadonlySet<Socket>, onAnswered: () => void): void {
  server.on('tlsClientError', (cause: NodeJS.ErrnoException, secure: Socket) => {
    if (cause.code !== 'ERR_SSL_HTTP_REQUEST') return;
    const peer = peerOf(secure);
    for (const socket of open) {
      if (peerOf(socket) !== peer) continue;
      refuse(socket, cause.code);
      onAnswered();
    }
  });
}

/** The address of a client: the same for a TLS socket and for the connection below it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
