import { createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { followConnections } from '../../open-connections.js';
import type { CertificatePair } from '../../tls/certificate-source.js';
import { answerPlainHttp, followHandshakes, peerOf } from '../../tls/handshakes.js';
import type { AcceptMessage, TicketKeys } from '../messages.js';
import type { Relay } from './relay.js';

export interface AcceptOptions extends AcceptMessage {
  readonly onPlainHttp: () => void;
}

/** The connections of clients in a front. */
export type Accepting = ReturnType<typeof createAccepting>;

/** Makes the server that accepts connections, ends TLS, and gives them to the relay. It does not listen yet. */
export function createAccepting(relay: Relay, options: AcceptOptions) {
  const { certificate } = options;
  const server =
    certificate === undefined
      ? createServer({ allowHalfOpen: true, noDelay: true }, (socket) => relay.begin(follow(socket), socket))
      : createSecureServer(certificate);
  const connections = followConnections(server);
  if (certificate !== undefined) answerPlainHttp(server as TlsServer, connections.open, options.onPlainHttp);

  /** Tells the owner of the connection, and of its end. */
  function follow(socket: Socket): number {
    const connection = relay.open(socket);
    let hasFailed = false;
    socket.on('error', () => {
      hasFailed = true;
    });
    socket.once('close', () => {
      relay.closed(connection, hasFailed);
    });
    return connection;
  }

  function createSecureServer(pair: CertificatePair): Server {
    /** By the addresses of their clients: Node does not tell which connection a TLS socket belongs to. */
    const handshaking = new Map<string, number>();
    const limits = { handshakeTimeout: options.handshakeMs, ALPNProtocols: ['http/1.1'], noDelay: true };
    const secure = createTlsServer({ ...pair, ...limits, ticketKeys: bytesOf(options.ticketKeys) });
    secure.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      handshaking.set(peer, follow(socket));
      socket.once('close', () => handshaking.delete(peer));
    });
    secure.on('secureConnection', (socket: TLSSocket) => {
      const connection = handshaking.get(peerOf(socket));
      if (connection === undefined) {
        socket.destroy();
        return;
      }
      // It closes by itself after an error, but for one: when a client negotiates TLS again and again.
      socket.on('error', () => socket.destroy());
      relay.secured(connection);
      relay.begin(connection, socket);
    });
    followHandshakes(secure);
    return secure;
  }

  return {
    server,
    ...connections,
    // Not in the types: Node takes the keys here, too. Otherwise each front would make its own.
    useCertificate: (pair: CertificatePair, ticketKeys: TicketKeys) =>
      (server as TlsServer).setSecureContext({
        ...pair,
        ticketKeys: bytesOf(ticketKeys),
      } as SecureContextOptions),
  };
}

function bytesOf(ticketKeys: TicketKeys): Buffer {
  return Buffer.from(ticketKeys, 'hex');
}
