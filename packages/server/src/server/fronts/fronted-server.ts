import { createServer, type Server } from 'node:http';
import type { Settings } from '../../config/settings.js';
import type { Log } from '../../lib/log.js';
import { OperatorError } from '../../operator-error.js';
import { createConnectionReaper } from '../connection-reaper.js';
import { httpLimits, maxHeadersCount } from '../http-limits.js';
import type { CertificatePair } from '../tls/certificate-source.js';
import { plainHttpText } from '../tls/handshakes.js';
import type { WebServer } from '../web-server.js';
import { bindSocket } from './bound-socket.js';
import { type Connections, startDraining } from './drain.js';
import type { FrontStream } from './front-stream.js';
import { startFronts } from './fronts.js';
import type { ConnectionEvents } from './receive-connections.js';

export interface FrontedOptions {
  /** The processes that accept connections. */
  readonly count: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Within this time, a front has told that a connection has ended. */
const lookAgainMs = 50;

/**
 * Like `openWebServer`, but other processes accept the connections and end TLS. This one sees each connection as a
 * stream, and decides everything about it. Throws `OperatorError` if it cannot listen on the address.
 */
export async function openFrontedServer(
  settings: Settings,
  certificate: CertificatePair | undefined,
  attach: (server: Server) => void,
  { count, environment, log }: FrontedOptions,
): Promise<WebServer> {
  // It never listens: streams are given to it as connections.
  const server = createServer(httpLimits(settings));
  server.maxHeadersCount = maxHeadersCount;
  attach(server);
  // Node begins to watch the times of requests when a server listens.
  server.emit('listening');
  const connections: Connections = { open: new Set(), speaking: new Set() };
  const { open } = connections;
  const bound = await bindSocket({ host: settings.host, port: settings.port, setting: '--port' });
  const fronts = startFronts({
    count,
    log,
    environment,
    listening: bound.descriptor,
    accept: { certificate, handshakeMs: settings.headerTimeoutMs },
    ...admission(server, connections, settings.maxConnections),
    onPlainHttp: () => log.info({}, plainHttpText),
  });
  try {
    await fronts.listening;
  } catch (cause) {
    await fronts.stop();
    bound.close();
    server.close();
    const reason = cause instanceof Error ? cause.message : cause;
    throw new OperatorError(`Cannot listen on ${settings.host} port ${bound.port}: ${reason}`, { cause });
  }
  return {
    port: bound.port,
    traffic: () => ({ connections: open.size, ...fronts.traffic() }),
    useCertificate: fronts.useCertificate,
    async stop() {
      bound.close();
      fronts.stopAccepting();
      const draining = startDraining(server, connections, settings.shutdownGraceMs);
      await draining.drained;
      await fronts.stop();
      draining.end();
    },
  };
}

/**
 * Lets at most `most` connections in. One more is closed, but only after a moment: another connection may have ended, and
 * its front may not have told yet.
 */
function admission(server: Server, { open, speaking }: Connections, most: number): ConnectionEvents {
  const reaper = createConnectionReaper(most);
  /** Those beyond the limit, and whether they are ready. */
  const waiting = new Map<FrontStream, boolean>();

  function admit(stream: FrontStream): void {
    open.add(stream);
    reaper.add(stream);
    stream.once('close', () => {
      open.delete(stream);
      speaking.delete(stream);
    });
  }

  function begin(stream: FrontStream): void {
    speaking.add(stream);
    server.emit('connection', stream);
  }

  function lookAgain(stream: FrontStream): void {
    const isReady = waiting.get(stream) === true;
    waiting.delete(stream);
    if (stream.destroyed) return;
    if (open.size >= most) {
      stream.destroy();
      return;
    }
    admit(stream);
    if (isReady) begin(stream);
  }

  return {
    onOpen(stream) {
      if (open.size < most) {
        admit(stream);
        return;
      }
      waiting.set(stream, false);
      setTimeout(lookAgain, lookAgainMs, stream);
    },
    onReady(stream) {
      if (waiting.has(stream)) waiting.set(stream, true);
      else begin(stream);
    },
  };
}
