import type { ItemStore } from '../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { isKeyExpired, type KeyRow } from '../key-row.js';
import { openDeletedKeys } from './deleted-keys.js';
import { openIdMarks } from './id-marks.js';
import { KeyCache } from './key-cache.js';
import { createKeyReading } from './key-reading.js';
import { addRow, endRows, type KeyToMake } from './key-rows.js';
import { LastUses } from './last-uses.js';
import { isAnyListed, type ListedRows, readListed } from './listed-rows.js';

export interface LimitedKeysOptions {
  readonly clock: Clock;
  readonly log: Log | undefined;
  /** What the keys in memory may take, in bytes; only tests set it. */
  readonly bytes?: number | undefined;
}

const endedAtOnce = 500;

export type LimitedKeys = Awaited<ReturnType<typeof openLimitedKeys>>;

/**
 * The limited keys of a store: any number of them, because one is read when it is used. Those that were used last are in
 * memory.
 */
export async function openLimitedKeys(items: ItemStore, { clock, log, bytes }: LimitedKeysOptions) {
  const uses = new LastUses();
  const cache = new KeyCache({
    onEvicted: ({ grant, row, lastUsedMs }) => uses.note(grant.keyId, row, lastUsedMs),
    bytes,
  });
  const marks = await openIdMarks(items);
  const reading = createKeyReading(items, cache, marks);
  const endedByOthers = await openDeletedKeys(items, { ids: heldIds, forgetAbsent: reading.forgetAbsent });
  const usedMs = (id: string) => Math.max(cache.get(id)?.lastUsedMs ?? 0, uses.usedMs(id));
  const logOf = (id: string, { project }: KeyRow, text: string) => log?.info({ keyId: id, project }, text);

  function* heldIds(): Generator<string> {
    for (const [id] of cache.all()) yield id;
    yield* reading.inProgress();
  }

  function end(id: string): boolean {
    reading.noteEnd(id);
    uses.forget(id);
    return cache.end(id);
  }

  /** Ends those keys that exist and are meant, and says so in the log. Gives whether there was any. */
  async function endAll(ids: readonly string[], isMeant: (row: KeyRow) => boolean, text: string) {
    const ended = await endRows(items, ids, isMeant);
    for (const [id, row] of ended) {
      end(id);
      logOf(id, row, text);
    }
    return ended.length > 0;
  }

  return {
    /** Stores a new key. */
    async create(toMake: KeyToMake) {
      const made = await addRow(items, toMake, await marks.secret(), clock);
      logOf(made.id, made.row, 'key created');
      return made;
    },

    /** The key with this id, if it is in memory. */
    get: (id: string) => cache.get(id),
    /** Reads the key with this id into memory; undefined if it is there, or cannot be. Rejects with `StorageUnavailable`. */
    read: reading.read,
    /** Whether a key with this id would be one of these. Rejects with `StorageUnavailable`. */
    isOne: marks.isMarked,

    /** Ends a key, with a project: one of this project. Gives whether it existed. */
    revoke: (id: string, project?: string) =>
      endAll([id], (row) => project === undefined || row.project === project, 'key revoked'),

    /** Ends up to a thousand keys of a project. Gives whether more are there. */
    async revokeSome(project: string) {
      const ids = (await readListed(items, { project, limit: endedAtOnce })).map(([id]) => id);
      await endAll(ids, () => true, 'key revoked');
      return ids.length === endedAtOnce;
    },

    /** Rows after a position in the order of projects and ids, with the last uses that this server has seen. */
    async list(range: ListedRows) {
      const rows = await readListed(items, range);
      return rows.map(([id, row]) => [id, uses.withLastUse(row, usedMs(id))] as const);
    },

    /** Learns which keys other servers have ended. Calls may not overlap. */
    async refresh() {
      await marks.refresh();
      for await (const id of endedByOthers()) {
        const key = cache.get(id);
        if (end(id) && key !== undefined) logOf(id, key.row, 'key revoked');
      }
    },

    /** Writes when keys were used last. */
    async tidy() {
      for (const [id, { row, lastUsedMs }] of cache.all()) uses.note(id, row, lastUsedMs);
      for (const [id, row] of await uses.write(items)) {
        const key = cache.get(id);
        if (row === undefined) end(id);
        else if (key !== undefined) key.row = row;
      }
    },

    /** Deletes the row of a key that has expired. Gives false if it has not. */
    handleDue: (id: string) => endAll([id], (row) => isKeyExpired(row, nowSeconds(clock)), 'key expired'),
    /** When this server saw a key last, in milliseconds since 1970 UTC; 0 if it did not. */
    usedMs,
    /** Whether there is any such key. */
    isEmpty: async () => !(await isAnyListed(items)),
  };
}
