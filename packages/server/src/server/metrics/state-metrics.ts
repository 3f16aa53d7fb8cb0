import type { Registry } from 'prom-client';
import type { CacheCounts } from '../../lib/cache-counts.js';
import type { App } from '../app.js';
import type { Standbys } from '../control/standby-operation.js';
import type { Traffic } from '../web-server.js';
import { type Meters, metersIn } from './meters.js';
import type { StoreSizes } from './store-sizes.js';

/** What is read at every scrape. All of it is in memory. */
export interface Running {
  readonly app: App['state'];
  readonly rowCache: (() => CacheCounts) | undefined;
  readonly traffic: () => Traffic;
  readonly sizes: () => StoreSizes;
  readonly standbys: Standbys['known'];
  readonly maxBufferedBytes: number;
  readonly maxConnections: number;
}

/** Registers what is known about a running service at the time of a scrape. */
export function watchState(registry: Registry, running: Running): void {
  const meters = metersIn(registry);
  watchClients(meters, running);
  watchCaches(meters, running);
  watchBackground(meters, running);
  watchQuotas(meters, running);
  watchStandbys(meters, running);
  watchDisk(meters, running);
}

function watchClients({ gauge, counter }: Meters, running: Running): void {
  const { app, traffic } = running;
  gauge('basedrive_connections', 'Open connections of clients.', () => traffic().connections);
  gauge('basedrive_connections_limit', 'The setting --max-connections.', () => running.maxConnections);
  gauge('basedrive_requests_in_progress', 'Requests in progress.', () => app().requestsInFlight);
  gauge('basedrive_buffered_bytes', 'Bytes in memory for clients.', () => app().buffers.heldBytes);
  gauge(
    'basedrive_buffered_bytes_limit',
    'The setting --max-buffered-bytes.',
    () => running.maxBufferedBytes,
  );
  gauge(
    'basedrive_buffer_waiting_requests',
    'Requests that wait for room in memory.',
    () => app().buffers.waitingRequests,
  );
  gauge(
    'basedrive_value_bytes',
    'Bytes in memory that JSON bodies have become.',
    () => app().values.heldBytes,
  );
  gauge(
    'basedrive_value_waiting_requests',
    'Requests whose JSON waits for room in memory.',
    () => app().values.waitingRequests,
  );
  counter('basedrive_network_received_bytes_total', 'Bytes received from clients.', [], () => [
    [{}, traffic().receivedBytes],
  ]);
  counter('basedrive_network_sent_bytes_total', 'Bytes sent to clients.', [], () => [
    [{}, traffic().sentBytes],
  ]);
}

function watchCaches({ counter, gauges }: Meters, { app, rowCache }: Running): void {
  const caches = (): (readonly [string, CacheCounts])[] => [
    ...(rowCache === undefined ? [] : [['rows', rowCache()] as const]),
    ['contents', app().contentCache],
  ];
  counter('basedrive_cache_requests_total', 'Lookups in a cache, by result.', ['cache', 'result'], () =>
    caches().flatMap(([cache, { hits, misses }]) => [
      [{ cache, result: 'hit' }, hits],
      [{ cache, result: 'miss' }, misses],
    ]),
  );
  gauges('basedrive_cache_bytes', 'Memory that a cache takes.', 'cache', () =>
    caches().map(([cache, { bytes }]) => [{ cache }, bytes]),
  );
}

function watchBackground({ gauge }: Meters, { app }: Running): void {
  gauge('basedrive_maintenance_leader', 'Whether this server does maintenance.', () =>
    app().doesMaintenance ? 1 : 0,
  );
  gauge('basedrive_feed_readers', 'Who follows changes now, webhooks included.', () => app().feedReaders);
  gauge(
    'basedrive_feed_log_bytes',
    'Bytes of the logs of changes, as the server that does maintenance counted them.',
    () => app().feedLogBytes,
  );
  gauge(
    'basedrive_webhooks',
    'Webhooks that this server delivers, without those that are paused.',
    () => app().webhooks.webhooks,
  );
  gauge(
    'basedrive_webhooks_failing',
    'Webhooks whose last message was not taken.',
    () => app().webhooks.failing,
  );
  gauge(
    'basedrive_webhook_lag_seconds',
    'How long the oldest change has waited that a webhook has not delivered.',
    () => app().webhooks.lagSeconds,
  );
}

function watchQuotas({ gauge, gauges, counter }: Meters, { app }: Running): void {
  gauge(
    'basedrive_quota_projects',
    'Projects whose stored data is limited and that were written to.',
    () => app().quotas.projects,
  );
  gauges(
    'basedrive_quota_near_projects',
    'Of these, those that have used nine tenths of a quota or more.',
    'quota',
    () => Object.entries(app().quotas.near).map(([quota, projects]) => [{ quota }, projects]),
  );
  counter(
    'basedrive_quota_refused_total',
    'What was refused because of a quota of its project.',
    ['quota'],
    () => [
      ...Object.entries(app().quotas.refused).map(([quota, times]) => [{ quota }, times] as const),
      [{ quota: 'requests_per_second' }, app().requestsOverQuota],
    ],
  );
}

function watchStandbys({ gauge }: Meters, { standbys }: Running): void {
  gauge('basedrive_standbys', 'Standbys that this server keeps.', () => standbys().length);
  gauge(
    'basedrive_standby_lag_seconds',
    'How long the oldest change has waited that a standby does not have; 0 without one that follows.',
    () => Math.max(0, ...standbys().map(({ lagSeconds = 0 }) => lagSeconds)),
  );
}

function watchDisk({ gauge }: Meters, { sizes }: Running): void {
  gauge('basedrive_rows_stored_bytes', 'Bytes of the files that hold the rows.', () => sizes().rowsBytes);
  gauge('basedrive_disk_size_bytes', 'Size of the file system of the data folder.', () => sizes().diskBytes);
  gauge('basedrive_disk_free_bytes', 'Free bytes of that file system.', () => sizes().diskFreeBytes);
}
