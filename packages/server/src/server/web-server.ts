import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Settings } from '../config/settings.js';
import type { Log } from '../lib/log.js';
import { closeIdle, closeIdleEveryMs, firstRequestMs } from './close-idle.js';
import { type ConnectionReaper, createConnectionReaper } from './connection-reaper.js';
import { httpLimits, maxHeadersCount } from './http-limits.js';
import { listen } from './listen.js';
import { followConnections, type TrafficBytes } from './open-connections.js';
import type { CertificatePair } from './tls/certificate-source.js';
import { answerPlainHttp, followHandshakes, peerOf, plainHttpText } from './tls/handshakes.js';

export interface Traffic extends TrafficBytes {
  readonly connections: number;
}

export interface WebServer {
  readonly port: number;
  readonly traffic: () => Traffic;
  /** Uses this certificate for new connections. */
  useCertificate(pair: CertificatePair): void;
  /** Stops accepting connections, waits for requests in progress for the grace time, and cuts off the rest. */
  stop(): Promise<void>;
}

/** Listens, with HTTPS if there is a certificate. Throws `OperatorError` if it cannot listen on the address. */
export async function openWebServer(
  settings: Settings,
  certificate: CertificatePair | undefined,
  attach: (server: Server) => void,
  log: Log,
): Promise<WebServer> {
  const limits = httpLimits(settings);
  const server: Server | HttpsServer =
    certificate === undefined
      ? createHttpServer(limits)
      : createHttpsServer({ ...limits, ...certificate, handshakeTimeout: settings.headerTimeoutMs });
  server.maxConnections = settings.maxConnections;
  server.maxHeadersCount = maxHeadersCount;
  attach(server);
  const connections = followConnections(server);
  const places = followPlaces(
    server,
    certificate !== undefined,
    createConnectionReaper(settings.maxConnections),
  );
  if (certificate !== undefined) {
    followHandshakes(server);
    answerPlainHttp(server, connections.open, () => log.info({}, plainHttpText));
  }
  await listen(server, { host: settings.host, port: settings.port, setting: '--port' });
  // A connection that cannot be accepted (no file handles are left) does not end the server.
  server.on('error', (cause) => log.error({ err: cause }, 'listening failed'));
  return {
    port: (server.address() as AddressInfo).port,
    traffic: () => ({ connections: connections.open.size, ...connections.traffic() }),
    useCertificate: (pair) => (server as HttpsServer).setSecureContext(pair),
    stop: () => stop(server, { ...connections, ...places }, settings.shutdownGraceMs),
  };
}

function followPlaces(server: Server, secure: boolean, reaper: ConnectionReaper) {
  /** The connections that speak HTTP, or will once their first request arrives. */
  const speaking = new Set<Socket>();
  /** Those in a TLS handshake, by the addresses of their clients: Node does not tell which one a TLS socket belongs to. */
  const handshaking = new Map<string, Socket>();

  function speak(socket: Socket): void {
    reaper.add(socket);
    speaking.add(socket);
    socket.once('close', () => speaking.delete(socket));
  }

  function beginHandshake(socket: Socket): void {
    const peer = peerOf(socket);
    reaper.add(socket);
    handshaking.set(peer, socket);
    socket.once('close', () => handshaking.delete(peer));
  }

  function finishHandshake(socket: Socket): void {
    const peer = peerOf(socket);
    const below = handshaking.get(peer);
    handshaking.delete(peer);
    if (below !== undefined) reaper.remove(below);
    speak(socket);
  }

  server.on('connection', secure ? beginHandshake : speak);
  if (secure) server.on('secureConnection', finishHandshake);
  return { speaking, handshaking };
}

type Connections = ReturnType<typeof followPlaces> & { readonly open: ReadonlySet<Socket> };

function stop(server: Server, { open, speaking, handshaking }: Connections, graceMs: number): Promise<void> {
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
      closeIdle(server, speaking, passedMs);
      if (passedMs > firstRequestMs && !handshakesEnded) {
        handshakesEnded = true;
        // No new ones begin in the meantime.
        for (const socket of handshaking.values()) socket.destroy();
      }
      if (passedMs > graceMs) for (const socket of open) socket.destroy();
    }
  });
}
