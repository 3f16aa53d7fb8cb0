import type { Change, ItemStore } from '../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { limitedKeysSpace } from '../../spaces.js';
import { newLimitedKey } from '../key-format.js';
import { isKeyExpired, type KeyRow, keyRow, readKeyRow } from '../key-row.js';
import { endedRange, keptDeletions, lastEndedKey, lastEndedOf, noteEnded } from './ended-log.js';
import { type HeldKey, HeldKeys } from './held-keys.js';
import { isMarkedId, newMarkedId } from './key-id.js';
import { LastUses } from './last-uses.js';
import { type ListedRows, listedKey, readListed } from './listed-rows.js';
import { readSecret } from './secret.js';

/**
 * The limited keys of a store: any number of them, because one is read when it is used. Those that were used last are in
 * memory.
 */
export interface LimitedKeys {
  /** Stores a new key. `rowOf`: the row of a key that is created at that second. */
  create(
    project: string,
    rowOf: (key: string, createdSeconds: number) => KeyRow,
  ): Promise<{ readonly id: string; readonly key: string; readonly row: KeyRow }>;
  /** The key with this id, if it is in memory. */
  get(id: string): HeldKey | undefined;
  /** Reads the key with this id into memory; undefined if it is there, or cannot be. Rejects with `StorageUnavailable`. */
  read(id: string): Promise<void> | undefined;
  /** Whether a key with this id would be one of these. */
  isOne(id: string): boolean;
  /** Ends a key, with a project: one of this project. Gives whether it existed. */
  revoke(id: string, project?: string): Promise<boolean>;
  /** Ends up to a thousand keys of a project. Gives whether more are there. */
  revokeSome(project: string): Promise<boolean>;
  /** Rows after a place in the order of projects and ids, with the last uses that this server has seen. */
  list(range: ListedRows): Promise<readonly (readonly [id: string, row: KeyRow])[]>;
  /** Learns which keys other servers have ended. */
  refresh(): Promise<void>;
  /** Writes when keys were used last. */
  tidy(): Promise<void>;
  /** Deletes the row of a key that has expired. Gives false if it has not. */
  handleDue(id: string): Promise<boolean>;
  /** When this server saw a key last, in milliseconds since 1970 UTC; 0 if it did not. */
  usedMs(id: string): number;
  /** Whether there is any such key. */
  isEmpty(): Promise<boolean>;
}

export interface LimitedKeysOptions {
  readonly clock: Clock;
  readonly log: Log | undefined;
  /** What the keys in memory may take, in bytes; only tests set it. */
  readonly bytes?: number | undefined;
}

const maxAbsent = 10_000;
const endedAtOnce = 500;

export async function openLimitedKeys(
  items: ItemStore,
  { clock, log, bytes }: LimitedKeysOptions,
): Promise<LimitedKeys> {
  const uses = new LastUses();
  const held = new HeldKeys({
    onLetGo: ({ grant, row, lastUsedMs }) => uses.note(grant.keyId, row, lastUsedMs),
    bytes,
  });
  const reading = new Map<string, { readonly done: Promise<void>; hasEnded: boolean }>();
  /** Ids that were asked for and have no row: ids are never used again. */
  let absent = new Set<string>();
  let secret = await readSecret(items);
  let lastEnded = lastEndedOf(await items.get(limitedKeysSpace, lastEndedKey));

  function end(id: string): boolean {
    const inProgress = reading.get(id);
    if (inProgress !== undefined) inProgress.hasEnded = true;
    uses.forget(id);
    return held.end(id);
  }

  function read(id: string): Promise<void> | undefined {
    if (held.get(id) !== undefined || absent.has(id)) return undefined;
    if (secret === undefined || !isMarkedId(id, secret)) return undefined;
    const inProgress = reading.get(id);
    if (inProgress !== undefined) return inProgress.done;
    const one = { done: readRow(), hasEnded: false };
    reading.set(id, one);
    return one.done;

    async function readRow(): Promise<void> {
      try {
        const value = await items.get(limitedKeysSpace, id);
        if (value !== undefined && !reading.get(id)?.hasEnded) {
          held.add(id, readKeyRow(value));
          return;
        }
        if (absent.size >= maxAbsent) absent = new Set();
        absent.add(id);
      } finally {
        reading.delete(id);
      }
    }
  }

  /** Ends those keys that exist and are meant, in one step. Gives them. */
  async function endRows(ids: readonly string[], isMeant: (row: KeyRow) => boolean) {
    const keys = items.isShared ? [lastEndedKey, ...ids] : ids;
    const ended = await items.transact(limitedKeysSpace, keys, (found): Change<[string, KeyRow][]> => {
      const rows = items.isShared ? found.slice(1) : found;
      const meant = ids.flatMap((id, index): [string, KeyRow][] => {
        const value = rows[index];
        const row = value && readKeyRow(value);
        return row !== undefined && isMeant(row) ? [[id, row]] : [];
      });
      const deletes = meant.flatMap(([id, { project }]) => [id, listedKey(project, id)]);
      if (!items.isShared || meant.length === 0) return { deletes, result: meant };
      const note = noteEnded(
        found[0],
        meant.map(([id]) => id),
      );
      return { puts: note.puts, deletes: [...deletes, ...note.deletes], makesRoom: true, result: meant };
    });
    for (const [id] of ended) end(id);
    return ended;
  }

  /** Compares the keys in memory with their rows. */
  async function compareAll(): Promise<void> {
    const ids = Array.from(held.all(), ([id]) => id);
    for (let at = 0; at < ids.length; at += endedAtOnce) {
      const some = ids.slice(at, at + endedAtOnce);
      const snapshot = await items.snapshot(limitedKeysSpace);
      const values = await snapshot.texts(some).finally(() => snapshot.close());
      for (const [index, id] of some.entries()) if (values[index] === undefined) end(id);
    }
  }

  const usedMs = (id: string) => Math.max(held.get(id)?.lastUsedMs ?? 0, uses.usedMs(id));
  const logOf = (id: string, { project }: KeyRow, text: string) => log?.info({ keyId: id, project }, text);

  return {
    async create(project, rowOf) {
      secret ??= await readSecret(items, { make: true });
      for (;;) {
        const nowMs = clock();
        const id = newMarkedId(nowMs, secret as string);
        const key = newLimitedKey(project, id);
        const row = rowOf(key, Math.floor(nowMs / 1000));
        const puts = [
          keyRow(id, row, limitedKeysSpace),
          { key: listedKey(project, id), value: Buffer.alloc(0) },
        ];
        const isFree = await items.transact(
          limitedKeysSpace,
          [id],
          ([before]): Change<boolean> => (before === undefined ? { puts, result: true } : { result: false }),
        );
        if (!isFree) continue;
        logOf(id, row, 'key created');
        return { id, key, row };
      }
    },

    get: (id) => held.get(id),
    read,
    isOne: (id) => secret !== undefined && isMarkedId(id, secret),

    async revoke(id, project) {
      const [ended] = await endRows([id], (row) => project === undefined || row.project === project);
      if (ended !== undefined) logOf(...ended, 'key revoked');
      return ended !== undefined;
    },

    async revokeSome(project) {
      const rows = await readListed(items, { project, limit: endedAtOnce });
      const ids = rows.map(([id]) => id);
      for (const ended of await endRows(ids, () => true)) logOf(...ended, 'key revoked');
      return ids.length === endedAtOnce;
    },

    async list(range) {
      const rows = await readListed(items, range);
      return rows.map(([id, row]) => [id, uses.withLastUse(row, usedMs(id))] as const);
    },

    async refresh() {
      secret ??= await readSecret(items);
      const last = lastEndedOf(await items.get(limitedKeysSpace, lastEndedKey));
      if (last === lastEnded) return;
      if (last - lastEnded >= keptDeletions) await compareAll();
      else {
        for await (const batch of items.scan(limitedKeysSpace, endedRange(lastEnded, last))) {
          for (const { value } of batch) {
            const id = value.toString();
            const key = held.get(id);
            if (end(id) && key !== undefined) logOf(id, key.row, 'key revoked');
          }
        }
      }
      lastEnded = last;
    },

    async tidy() {
      for (const [id, { row, lastUsedMs }] of held.all()) uses.note(id, row, lastUsedMs);
      for (const [id, row] of await uses.write(items)) {
        const key = held.get(id);
        if (row === undefined) end(id);
        else if (key !== undefined) key.row = row;
      }
    },

    async handleDue(id) {
      const now = nowSeconds(clock);
      const [expired] = await endRows([id], (row) => isKeyExpired(row, now));
      if (expired !== undefined) logOf(...expired, 'key expired');
      return expired !== undefined;
    },

    usedMs,

    async isEmpty() {
      return (await readListed(items, { limit: 1 })).length === 0;
    },
  };
}
