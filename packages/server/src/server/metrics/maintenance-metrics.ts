import { Counter, Gauge, type Registry } from 'prom-client';
import type { OnHandled } from '../../maintenance/maintenance.js';
import type { OnOrphansDeleted, OnSearched } from '../../store/orphan-sweep.js';

export interface MaintenanceMetrics {
  readonly onHandled: OnHandled;
  readonly onSearched: OnSearched;
  readonly onOrphansDeleted: OnOrphansDeleted;
}

/** What maintenance has done, and what its daily search for orphans has counted. */
export function createMaintenanceMetrics(registry: Registry): MaintenanceMetrics {
  const registers = [registry];
  const rows = new Counter({
    name: 'basedrive_maintenance_rows_total',
    help: 'Due rows that maintenance handled: expired items and files, dropped uploads, garbage.',
    labelNames: ['owner', 'outcome'],
    registers,
  });
  const deleted = new Counter({
    name: 'basedrive_maintenance_orphans_deleted_total',
    help: 'Blobs without a row that were deleted.',
    registers,
  });
  // Without labels, they would be 0 until the first search.
  const searched = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['never'], registers });
  const blobs = searched('basedrive_blobs', 'Blobs, as the last daily search counted them.');
  const bytes = searched(
    'basedrive_blobs_stored_bytes',
    'Bytes of the blobs, as the last daily search counted them.',
  );
  const at = searched('basedrive_blobs_counted_timestamp_seconds', 'When the last daily search ended.');
  // A rate does not see the first count of a series that was not there before.
  for (const owner of ['base', 'drive', 'keys'])
    for (const outcome of ['done', 'failed']) rows.inc({ owner, outcome }, 0);
  return {
    onHandled: (owner, outcome) => rows.inc({ owner, outcome: outcome.replace(' ', '_') }),
    onSearched(found) {
      blobs.set({}, found.blobs);
      bytes.set({}, found.bytes);
      at.set({}, Date.now() / 1000);
    },
    onOrphansDeleted: (count) => deleted.inc(count),
  };
}
