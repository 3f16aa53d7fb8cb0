import { createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import type { CertificatePair } from '../../tls/certificate-source.js';
import { answerPlainHttp, followHandshakes, peerOf } from '../../tls/handshakes.js';
import type { AcceptMessage, FrontTraffic } from '../messages.js';
import type { Relay } from './relay.js';

export interface AcceptOptions extends AcceptMessage {
  readonly onPlainHttp: () => void;
}

/** The connections of clients in a front. */
export interface Accepting {
  readonly server: Server;
  /** Those in a TLS handshake, too. */
  readonly open: ReadonlySet<Socket>;
  useCertificate(pair: CertificatePair): void;
  traffic(): FrontTraffic;
}

/** Makes the server that accepts connections, ends TLS, and gives them to the relay. It does not listen yet. */
export function createAccepting(relay: Relay, options: AcceptOptions): Accepting {
  const { certificate } = options;
  const ticketKeys = Buffer.from(options.ticketKeys, 'hex');
  const open = new Set<Socket>();
  const ended = { receivedBytes: 0, sentBytes: 0 };
  const server =
    certificate === undefined
      ? createServer({ allowHalfOpen: true, noDelay: true }, (socket) => relay.begin(follow(socket), socket))
      : createSecureServer(certificate);

  /** Tells the owner of the connection, and of its end. */
  function follow(socket: Socket): number {
    const connection = relay.open(socket);
    open.add(socket);
    let hasFailed = false;
    socket.on('error', () => {
      hasFailed = true;
    });
    socket.once('close', () => {
      open.delete(socket);
      ended.receivedBytes += socket.bytesRead;
      ended.sentBytes += socket.bytesWritten;
      relay.closed(connection, hasFailed);
    });
    return connection;
  }

  function createSecureServer(pair: CertificatePair): Server {
    /** By the addresses of their clients: Node does not tell which connection a TLS socket belongs to. */
    const handshaking = new Map<string, number>();
    const limits = { handshakeTimeout: options.handshakeMs, ALPNProtocols: ['http/1.1'], noDelay: true };
    const secure = createTlsServer({ ...pair, ...limits, ticketKeys });
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
      socket.on('error', () => {});
      relay.secured(connection);
      relay.begin(connection, socket);
    });
    followHandshakes(secure);
    answerPlainHttp(secure, open, options.onPlainHttp);
    return secure;
  }

  function traffic(): FrontTraffic {
    let { receivedBytes, sentBytes } = ended;
    for (const socket of open) {
      receivedBytes += socket.bytesRead;
      sentBytes += socket.bytesWritten;
    }
    return { receivedBytes, sentBytes };
  }

  return {
    server,
    open,
    // Not in the types: Node takes the keys here, too. Otherwise it would make others.
    useCertificate: (pair) =>
      (server as TlsServer).setSecureContext({ ...pair, ticketKeys } as SecureContextOptions),
    traffic,
  };
}
