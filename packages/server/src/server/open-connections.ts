import type { Server, Socket } from 'node:net';

/** The bytes over all connections since the start; with TLS, the encrypted bytes. */
export interface TrafficBytes {
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** Follows the connections that a server accepts from now on. */
export function followConnections(server: Server) {
  const open = new Set<Socket>();
  /** The bytes of the connections that have ended. */
  const ended = { receivedBytes: 0, sentBytes: 0 };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      ended.receivedBytes += socket.bytesRead;
      ended.sentBytes += socket.bytesWritten;
    });
  });
  return {
    /** Those in a TLS handshake, too. */
    open,
    traffic(): TrafficBytes {
      let { receivedBytes, sentBytes } = ended;
      for (const socket of open) {
        receivedBytes += socket.bytesRead;
        sentBytes += socket.bytesWritten;
      }
      return { receivedBytes, sentBytes };
    },
  };
}
