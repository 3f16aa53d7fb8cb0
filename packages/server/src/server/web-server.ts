import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Settings } from '../config/settings.js';
import { hasBegun } from '../http/connection.js';
import { refuse } from '../http/connection-guard.js';
import { fastStateOf } from '../http/fast-path/fast-connection.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import type { CertificatePair } from './tls/certificate-source.js';

export interface WebServer {
  readonly port: number;
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
      : createHttpsServer({ ...limits, ...certificate, handshakeTimeout: settings.headerTimeoutMs });
  server.maxConnections = settings.maxConnections;
  // Beyond 2000 fields, Node would leave out the rest, a second Host among them. The bytes of the head are limited.
  server.maxHeadersCount = 0;
  attach(server);
  const connections = trackConnections(server, certificate !== undefined);
  if (certificate !== undefined) answerPlainHttp(server, connections, log);
  await listen(server, settings);
  // A connection that cannot be accepted (no file handles are left) does not end the server.
  server.on('error', (cause) => log.error({ err: cause }, 'listening failed'));
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate: (pair) => (server as HttpsServer).setSecureContext(pair),
    stop: () => stop(server, connections, settings.shutdownGraceMs),
  };
}

interface Connections {
  /** All connections, including those in a TLS handshake. */
  readonly open: ReadonlySet<Socket>;
  /** Those that speak HTTP, or will once their first request arrives. */
  readonly speaking: ReadonlySet<Socket>;
}

function trackConnections(server: Server, secure: boolean): Connections {
  const open = new Set<Socket>();
  const speaking = new Set<Socket>();
  const follow = (set: Set<Socket>) => (socket: Socket) => {
    set.add(socket);
    socket.once('close', () => set.delete(socket));
  };
  server.on('connection', follow(open));
  server.on(secure ? 'secureConnection' : 'connection', follow(speaking));
  return { open, speaking };
}

/**
 * Answers a client that sends plain HTTP to the HTTPS port. When Node reports it, the TLS socket is already destroyed,
 * but the connection below it can still be written to.
 */
function answerPlainHttp(server: Server, { open }: Connections, log: Log): void {
  server.on('tlsClientError', (cause: NodeJS.ErrnoException, { remoteAddress, remotePort }: Socket) => {
    if (cause.code !== 'ERR_SSL_HTTP_REQUEST') return;
    for (const socket of open) {
      if (socket.remotePort !== remotePort || socket.remoteAddress !== remoteAddress) continue;
      refuse(socket, cause.code);
      log.info({}, 'plain HTTP on the HTTPS port');
    }
  });
}

function listen(server: Server, settings: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, settings));
    server.once('error', onError);
    server.listen({ host: settings.host, port: settings.port }, () => {
      server.removeListener('error', onError);
      resolve();
    });
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; give another --port',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
};

function cannotListen(cause: NodeJS.ErrnoException, { host, port }: Settings): OperatorError {
  const reason = reasons[cause.code ?? ''] ?? cause.message;
  return new OperatorError(`Cannot listen on ${host} port ${port}: ${reason}`, { cause });
}

function stop(server: Server, { open, speaking }: Connections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now();
    const timer = setInterval(closeWhatIsDone, closeIdleEveryMs);
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
      if (passedMs > graceMs) for (const socket of open) socket.destroy();
    }
  });
}
