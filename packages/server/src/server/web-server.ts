import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Settings } from '../config/settings.js';
import { hasBegun } from '../http/connections/connection.js';
import { refuse } from '../http/connections/connection-guard.js';
import { fastStateOf } from '../http/fast-path/fast-connection.js';
import type { Log } from '../lib/log.js';
import { listen } from './listen.js';
import type { CertificatePair } from './tls/certificate-source.js';

/** The connections of clients, and the bytes over all of them since the start; with HTTPS, the encrypted bytes. */
export interface Traffic {
  readonly connections: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export interface WebServer {
  readonly port: number;
  readonly traffic: () => Traffic;
  /** Uses this certificate for new connections. */
  useCertificate(pair: CertificatePair): void;
  /** Stops accepting connections, waits for requests in progress for the grace time, and cuts off the rest. */
  stop(): Promise<void>;
}

/** How often Node looks for connections that are past a time limit. */
const checkConnectionsEveryMs = 1000;
const closeIdleEveryMs = 20;
/** The first request of a connection that was just opened may still be in transit. */
const firstRequestMs = 200;

/** Listens, with HTTPS if there is a certificate. Throws `OperatorError` if it cannot listen on the address. */
export async function openWebServer(
  settings: Settings,
  certificate: CertificatePair | undefined,
  attach: (server: Server) => void,
  log: Log,
): Promise<WebServer> {
  const limits = {
    maxHeaderSize: settings.maxHeaderBytes,
    headersTimeout: settings.headerTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.idleTimeoutMs,
    connectionsCheckingInterval: checkConnectionsEveryMs,
    // The listener checks it, so that the answer has the same form as all answers.
    requireHostHeader: false,
  };
  const server: Server | HttpsServer =
    certificate === undefined
      ? createHttpServer(limits)
      : createHttpsServer({ ...limits, ...certificate, ...secureLimits(settings) });
  server.maxConnections = settings.maxConnections;
  // Beyond 2000 fields, Node would leave out the rest, a second Host among them. The bytes of the head are limited.
  server.maxHeadersCount = 0;
  attach(server);
  const connections = trackConnections(server, certificate !== undefined);
  if (certificate !== undefined) {
    endFailedHandshakes(server);
    answerPlainHttp(server, connections, log);
  }
  await listen(server, { host: settings.host, port: settings.port, setting: '--port' });
  // A connection that cannot be accepted (no file handles are left) does not end the server.
  server.on('error', (cause) => log.error({ err: cause }, 'listening failed'));
  return {
    port: (server.address() as AddressInfo).port,
    traffic: connections.traffic,
    useCertificate: (pair) => (server as HttpsServer).setSecureContext(pair),
    stop: () => stop(server, connections, settings.shutdownGraceMs),
  };
}

/** A client that ends its side gets its answer over TLS, too: Node's own default there is to end the other side at once. */
function secureLimits({ headerTimeoutMs }: Settings): { handshakeTimeout: number; allowHalfOpen: boolean } {
  return { handshakeTimeout: headerTimeoutMs, allowHalfOpen: true };
}

interface Connections {
  /** All connections, including those in a TLS handshake. */
  readonly open: ReadonlySet<Socket>;
  /** Those that speak HTTP, or will once their first request arrives. */
  readonly speaking: ReadonlySet<Socket>;
  readonly traffic: () => Traffic;
}

function trackConnections(server: Server, secure: boolean): Connections {
  const open = new Set<Socket>();
  const speaking = new Set<Socket>();
  /** The bytes of the connections that have ended. */
  const ended = { receivedBytes: 0, sentBytes: 0 };
  const follow = (set: Set<Socket>) => (socket: Socket) => {
    set.add(socket);
    socket.once('close', () => set.delete(socket));
  };
  server.on('connection', follow(open));
  server.on(secure ? 'secureConnection' : 'connection', follow(speaking));
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => {
      ended.receivedBytes += socket.bytesRead;
      ended.sentBytes += socket.bytesWritten;
    });
  });

  function traffic(): Traffic {
    let { receivedBytes, sentBytes } = ended;
    for (const socket of open) {
      receivedBytes += socket.bytesRead;
      sentBytes += socket.bytesWritten;
    }
    return { connections: open.size, receivedBytes, sentBytes };
  }

  return { open, speaking, traffic };
}

/**
 * Nothing can be sent before the handshake is finished: not even the end of the connection, so `end()` would wait for
 * ever. Node passes such failures on to `clientError`, whose listener finds the socket destroyed.
 */
function endFailedHandshakes(server: Server): void {
  server.prependListener('tlsClientError', (_cause: Error, socket: Socket) => socket.destroy());
}

/**
 * Answers a client that sends plain HTTP to the HTTPS port. When Node reports it, the TLS socket is already destroyed,
 * but the connection below it can still be written to.
 */
function answerPlainHttp(server: Server, { open }: Connections, log: Log): void {
  server.on('tlsClientError', (cause: NodeJS.ErrnoException, secure: Socket) => {
    if (cause.code !== 'ERR_SSL_HTTP_REQUEST') return;
    const peer = peerOf(secure);
    for (const socket of open) {
      if (peerOf(socket) !== peer) continue;
      refuse(socket, cause.code);
      log.info({}, 'plain HTTP on the HTTPS port');
    }
  });
}

function stop(server: Server, { open, speaking }: Connections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now();
    const timer = setInterval(closeWhatIsDone, closeIdleEveryMs);
    let handshakesEnded = false;
    server.close(() => {
      clearInterval(timer);
      resolve();
    });

    /** A connection that is kept alive becomes idle at the end of its request, and must not wait for its timeout. */
    function closeWhatIsDone(): void {
      const passedMs = performance.now() - began;
      server.closeIdleConnections();
      for (const socket of speaking) {
        const fast = fastStateOf(socket);
        const isNew = fast === undefined ? !hasBegun(socket) : fast === 'new';
        if (fast === 'idle' || (isNew && passedMs > firstRequestMs)) socket.destroy();
      }
      if (passedMs > firstRequestMs && !handshakesEnded) {
        handshakesEnded = true;
        endHandshakes();
      }
      if (passedMs > graceMs) for (const socket of open) socket.destroy();
    }

    /** No new ones begin in the meantime. */
    function endHandshakes(): void {
      const finished = new Set(Array.from(speaking, peerOf));
      for (const socket of open) if (!finished.has(peerOf(socket))) socket.destroy();
    }
  });
}

/** The address of a client: the same for a TLS socket and for the connection below it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
