import type { Registry } from 'prom-client';
import type { AppObserver } from '../app-dependencies.js';
import { metersIn } from './meters.js';

/** What maintenance and webhooks have done, and what the daily search for orphans has counted. */
export function createBackgroundMetrics(
  registry: Registry,
): Pick<AppObserver, 'onHandled' | 'onSearched' | 'onOrphansDeleted' | 'onSent'> {
  const { events, gauge } = metersIn(registry);
  const rows = events(
    'basedrive_maintenance_rows_total',
    'Due rows that maintenance handled: expired items and files, dropped uploads, garbage.',
    'owner',
    'outcome',
  );
  const deleted = events(
    'basedrive_maintenance_orphans_deleted_total',
    'Blobs without a row that were deleted.',
  );
  let found: { readonly blobs: number; readonly bytes: number; readonly atSeconds: number } | undefined;
  gauge('basedrive_blobs', 'Blobs, as the last daily search counted them.', () => found?.blobs);
  gauge(
    'basedrive_blobs_stored_bytes',
    'Bytes of the blobs, as the last daily search counted them.',
    () => found?.bytes,
  );
  gauge(
    'basedrive_blobs_counted_timestamp_seconds',
    'When the last daily search ended.',
    () => found?.atSeconds,
  );
  const messages = events(
    'basedrive_webhook_messages_total',
    'Messages with changes that webhooks have sent, by outcome.',
    'outcome',
  );
  const changes = events('basedrive_webhook_changes_total', 'Changes that receivers of webhooks have taken.');
  // A rate does not see the first count of a series that was not there before.
  for (const owner of ['base', 'drive', 'keys'])
    for (const outcome of ['done', 'failed']) rows.inc({ owner, outcome }, 0);
  for (const outcome of ['delivered', 'failed']) messages.inc({ outcome }, 0);
  return {
    onHandled: (owner, outcome) => rows.inc({ owner, outcome: outcome.replace(' ', '_') }),
    onSearched({ blobs, bytes }) {
      found = { blobs, bytes, atSeconds: Date.now() / 1000 };
    },
    onOrphansDeleted: (count) => deleted.inc(count),
    onSent(outcome, sent) {
      messages.inc({ outcome });
      if (outcome === 'delivered') changes.inc(sent);
    },
  };
}
