import type { Registry } from 'prom-client';
import type { OnGroup } from '../../engines/engine.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import type { CallObserver, ListObserver } from '../call-observer.js';
import { wrapStore } from '../wrapped-store.js';
import { createHistogram } from './histogram.js';
import { metersIn } from './meters.js';

const seconds = [0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15];
const transactions = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** The times of the engines and of their group commits, whatever engines they are. */
export function createEngineMetrics(registry: Registry) {
  const { events } = metersIn(registry);
  const durationOf = createHistogram(registry, {
    name: 'basedrive_engine_duration_seconds',
    help: 'Time of a call of a storage engine; for lists and reads, of each batch.',
    bounds: seconds,
  });
  const failures = events(
    'basedrive_engine_unavailable_total',
    'Calls of a storage engine that failed because the storage was full or could not be reached.',
    'store',
    'operation',
  );
  const groupDuration = createHistogram(registry, {
    name: 'basedrive_commit_duration_seconds',
    help: 'Time of a group commit of rows: decide, write and sync.',
    bounds: seconds,
  })({});
  const groupSize = createHistogram(registry, {
    name: 'basedrive_commit_transactions',
    help: 'Transactions that share one group commit.',
    bounds: transactions,
  })({});
  const wait = createHistogram(registry, {
    name: 'basedrive_commit_wait_seconds',
    help: 'Time that a transaction waited for its group commit to begin.',
    bounds: seconds,
  })({});
  const rowsWritten = events('basedrive_commit_rows_total', 'Rows that group commits put and deleted.');

  /** Times the calls of one operation, and each batch of a list by itself: the time between two batches is the reader's. */
  function timedCalls(store: 'rows' | 'blobs', operation: string): CallObserver<number> {
    const duration = durationOf({ store, operation });
    const labels = { store, operation };
    failures.inc(labels, 0);
    const ended = (beganMs: number) => duration.observe((performance.now() - beganMs) / 1000);
    const failed = (beganMs: number, cause: unknown) => {
      ended(beganMs);
      if (cause instanceof StorageUnavailable) failures.inc(labels);
    };
    const list: ListObserver = { batch: ended, done: ended, failed, left() {} };
    let untimedGets = getsPerTiming;
    return {
      begin: () => performance.now(),
      ended,
      failed,
      list: () => list,
      memory: {
        begin: () => (++untimedGets >= getsPerTiming ? performance.now() : undefined),
        found(beganMs) {
          duration.observe((performance.now() - beganMs) / 1000, getsPerTiming);
          untimedGets = 0;
        },
      },
    };
  }

  return {
    onGroup({ waitsMs, operations, durationMs }: Parameters<OnGroup>[0]) {
      groupDuration.observe(durationMs / 1000);
      groupSize.observe(waitsMs.length);
      for (const ms of waitsMs) wait.observe(ms / 1000);
      rowsWritten.inc(operations);
    },
    /** The same store, whose calls are timed. */
    observe: (store: Store) =>
      wrapStore(store, {
        rows: (operation) => timedCalls('rows', operation),
        blobs: (operation) => timedCalls('blobs', operation),
      }),
  };
}

/**
 * A get that finds its row in memory takes less time than reading the clock twice. So one of these many is timed, and
 * counts for all of them.
 */
const getsPerTiming = 16;
