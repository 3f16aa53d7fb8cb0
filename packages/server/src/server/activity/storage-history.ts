import { allNames } from '../../access/name-set.js';
import type { StoragePoint } from '../../catalog/activity.js';
import type { View } from '../../catalog/collections.js';
import type { CatalogService } from '../../catalog/service.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { repeat } from '../../lib/concurrency/repeat.js';

const firstMs = 60_000;
const everyMs = 60 * 60_000;
/** Two weeks, if the sizes change every hour. */
const maxPoints = 400;
const maxProjects = 1000;
/** In a round, of all projects: a count takes up to 0.3 seconds of reading. */
const maxMeasured = 500;

export interface StorageHistoryOptions {
  readonly catalog: CatalogService;
  readonly clock: Clock;
  /** The projects that had a request since the last round. */
  readonly activeProjects: () => readonly string[];
}

/**
 * What projects stored over time (docs/http.md#activity-details). Measures each hour what the projects store that had
 * a request. The points are in memory.
 */
export function createStorageHistory(options: StorageHistoryOptions) {
  const { catalog, clock, activeProjects } = options;
  const histories = new Map<string, StoragePoint[]>();
  /** Those that a round did not reach are the first of the next one. */
  let waiting = new Set<string>();
  let isEnded = false;
  let stopRepeating: (() => Promise<void>) | undefined;
  const view: View = {
    shown: { bases: allNames, drives: allNames, prefix: '' },
    isAbandoned: () => isEnded,
  };

  async function measureProject(project: string, most: number) {
    const names = { limit: most, prefix: '', last: '' };
    const lists = [
      await catalog.list('bases', project, names, view),
      await catalog.list('drives', project, names, view),
    ];
    const all = new Set(lists.flatMap((page) => page.names));
    const sum = { items: 0, item_bytes: 0, files: 0, file_bytes: 0 };
    let exact = lists.every(({ more }) => !more) && all.size <= most;
    for (const name of [...all].slice(0, most)) {
      const { base, drive } = await catalog.stats(project, name, view);
      sum.items += base.rows ?? 0;
      sum.item_bytes += base.bytes ?? 0;
      sum.files += drive.rows ?? 0;
      sum.file_bytes += drive.bytes ?? 0;
      exact &&= base.exact && drive.exact;
    }
    return { point: { at: nowSeconds(clock), ...sum, exact }, measured: all.size };
  }

  async function measure(): Promise<void> {
    for (const project of activeProjects()) waiting.add(project);
    let left = maxMeasured;
    for (const project of [...waiting]) {
      if (left <= 0 || isEnded) break;
      const { point, measured } = await measureProject(project, maxMeasured);
      left -= measured + 1;
      waiting.delete(project);
      note(project, point);
    }
    waiting = new Set([...waiting].slice(0, maxProjects));
  }

  function note(project: string, point: StoragePoint): void {
    const points = histories.get(project) ?? [];
    histories.delete(project);
    histories.set(project, points);
    // Of points that are the same, the first and the last say all.
    const isStill = points.length > 1 && points.slice(-2).every((before) => isSame(before, point));
    if (isStill) points.pop();
    points.push(point);
    if (points.length > maxPoints) points.shift();
    if (histories.size <= maxProjects) return;
    const [first = ''] = histories.keys();
    histories.delete(first);
  }

  return {
    of: (project: string) => histories.get(project) ?? [],
    /** Measures the projects that were active, one name after the other. */
    measure,
    start() {
      // A store that cannot be read now is measured an hour later.
      stopRepeating = repeat(
        () => measure().catch(() => {}),
        () => everyMs,
        firstMs,
      );
    },
    async stop() {
      isEnded = true;
      await stopRepeating?.();
    },
  };
}

function isSame(a: StoragePoint, b: StoragePoint): boolean {
  return (['items', 'item_bytes', 'files', 'file_bytes', 'exact'] as const).every(
    (part) => a[part] === b[part],
  );
}
