import type { Put } from '../../engines/item-store.js';
import type { CopyRun } from './copy-run.js';
import { rowBytes } from './row-digest.js';

/** Limits of one transaction at the destination. */
const maxRows = 500;
const maxBytes = 1024 * 1024;

/** Rows of a space of the destination that change together. */
export interface RowChange {
  readonly puts?: readonly Put[];
  readonly deletes?: readonly string[];
}

/** Writes many changes with few transactions. */
export type RowWriter = ReturnType<typeof createRowWriter>;

export function createRowWriter(run: CopyRun, space: string) {
  /** By key, since a transaction names a key once; undefined: deleted. */
  const changed = new Map<string, Put | undefined>();
  let bytes = 0;

  /** Writes what waits. */
  async function flush(): Promise<void> {
    if (changed.size === 0) return;
    const puts = [...changed.values()].filter((put) => put !== undefined);
    const deletes = [...changed].filter(([, put]) => put === undefined).map(([key]) => key);
    changed.clear();
    bytes = 0;
    await run.beforeWrite();
    await run.destination.items.transact(space, [], () => ({ puts, deletes, result: undefined }));
  }

  return {
    /** All of a change is in one transaction. */
    async add({ puts = [], deletes = [] }: RowChange): Promise<void> {
      for (const put of puts) {
        changed.set(put.key, put);
        bytes += rowBytes(put);
      }
      for (const key of deletes) changed.set(key, undefined);
      if (changed.size >= maxRows || bytes >= maxBytes) await flush();
    },
    flush,
  };
}
