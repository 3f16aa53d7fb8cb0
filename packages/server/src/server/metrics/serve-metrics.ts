import type { Settings } from '../../config/settings.js';
import type { ItemStore } from '../../engines/item-store.js';
import type { Closers } from '../../lib/concurrency/closers.js';
import type { Log } from '../../lib/log.js';
import type { App } from '../app.js';
import type { Standbys } from '../control/standby-operation.js';
import type { WebServer } from '../web-server.js';
import type { Metrics } from './metrics.js';
import { openMetricsServer } from './metrics-server.js';
import { watchSizes } from './store-sizes.js';

/** What is measured, and what serving the metrics needs. */
export interface MetricsDependencies {
  readonly app: App;
  readonly web: WebServer;
  readonly items: ItemStore;
  readonly standbys: Standbys['known'];
  /** The data folder, if there is one. */
  readonly folder: string | undefined;
  readonly log: Log;
  readonly closers: Closers;
}

/**
 * Serves the metrics at the address of `--metrics`, and gives their URL; undefined without that setting. Throws
 * `OperatorError` if it cannot listen there.
 */
export async function serveMetrics(
  metrics: Metrics,
  { metrics: address, maxBufferedBytes, maxConnections }: Settings,
  { app, web, items, standbys, folder, log, closers }: MetricsDependencies,
): Promise<string | undefined> {
  if (address === undefined) return undefined;
  metrics.watch({
    app: app.state,
    rowCache: items.cache,
    traffic: web.traffic,
    standbys,
    sizes: await watchSizes(items, folder, closers),
    maxBufferedBytes,
    maxConnections,
  });
  const server = await openMetricsServer(address, metrics, log);
  closers.push(server.close);
  return server.url;
}
