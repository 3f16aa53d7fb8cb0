import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../../config/values.js';
import { isLocalHost } from '../../http/requests/host.js';
import type { Log } from '../../lib/log.js';
import { listen } from '../listen.js';
import { bracketed } from '../service.js';
import type { Metrics } from './metrics.js';

const path = '/metrics';
const loopback = /^(?:::ffff:)?127\.|^::1$/;

/**
 * Serves `GET /metrics`, without a key (docs/operations.md#metrics). Gives the URL where Prometheus reads them. Throws
 * `OperatorError` if it cannot listen on the address.
 */
export async function openMetricsServer(
  address: ListenAddress,
  metrics: Pick<Metrics, 'text'> & { readonly contentType: string },
  log: Log,
) {
  const server = createServer(async (request, response) => {
    // Elsewhere the monitoring may call the machine what it likes.
    const mustBeLocal = loopback.test(request.socket.localAddress ?? '');
    if (mustBeLocal && !isLocalHost(request.headers.host)) {
      response.writeHead(403).end();
      return;
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (request.url?.split('?')[0] !== path || !isRead) {
      response.writeHead(isRead ? 404 : 405, isRead ? {} : { Allow: 'GET, HEAD' }).end();
      return;
    }
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(text);
    } catch (cause) {
      log.error({ err: cause }, 'the metrics could not be read');
      response.writeHead(500).end();
    }
  });
  await listen(server, { ...address, setting: '--metrics' });
  server.on('error', (cause) => log.error({ err: cause }, 'listening for metrics failed'));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${bracketed(address.host)}:${port}${path}`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
