import type { Grant } from '../access/grant.js';
import type { Change, ItemStore, Row } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { runInSlices, type Steps } from '../lib/concurrency/time-slices.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import { keysSpace } from '../spaces.js';
import { newApiKey, newKeyId, projectProblem } from './api-key.js';
import { derived, type HeldKeys, hashOf, holdKeys, holdOperatorKeys } from './held-keys.js';
import {
  byProjectThenAge,
  infoOf,
  type KeyAdministration,
  type KeyInfo,
  type NewKey,
  TooManyKeys,
} from './key-administration.js';
import { isKeyExpired, type KeyRow, keyRow, readKeyRow } from './key-row.js';
import { limitsOf, maxKeysPerProject, type NewKeyOptions } from './new-key.js';
import { createRecentKeys } from './recent-keys.js';
import { newlyUsed, tidyRows } from './tidy-rows.js';

export interface KeyRing extends KeyAdministration {
  /** What the key may do, or undefined if it is not valid. Notes that it was used. */
  authenticate(apiKey: string | undefined): Grant | undefined;
  /** What the key with this id may do now, or undefined if there is no such key that is valid. */
  grantOf(keyId: string): Grant | undefined;
  /**
   * What is known of the key with this id, read from memory: its last use may be that of this server alone. Undefined
   * for the operator's keys, and if there is no such key.
   */
  describe(keyId: string): KeyInfo | undefined;
  /**
   * 256 secret bits that belong to the key with this id: links that it makes are signed with them. They are not stored
   * and end with the key. Undefined if there is no such key that is valid.
   */
  linkSecret(keyId: string): Buffer | undefined;
  /** Whether any key is accepted. */
  readonly isEmpty: boolean;
  /**
   * Creates the first key of a store that accepts none. Gives undefined if a key exists by now: another server that
   * starts at the same time may have created it.
   */
  createFirst(project: string): Promise<NewKey | undefined>;
  /** Reads the rows again: another server may have changed them. */
  reload(): Promise<void>;
  /** Writes when keys were used last, and deletes the rows of keys that have expired. */
  tidy(): Promise<void>;
}

/** Servers that start at the same time write the same row, so that only one of them creates the key. */
const firstKeyId = 'first';
const tidiedAtOnce = 500;
const rowsPerStep = 32;

/**
 * Opens the keys of a store. A row holds the hash of a key, never the key; the operator's keys are only in memory. The
 * hashes of all keys are in a map, so that a request is checked without a read. Every created or revoked key is
 * logged, also when another server or a command did it.
 */
export async function createKeyRing(
  items: ItemStore,
  operatorKeys: readonly string[],
  clock: Clock,
  log?: Log,
): Promise<KeyRing> {
  const ofOperator = holdOperatorKeys(operatorKeys);
  let rows: ReadonlyMap<string, KeyRow> | undefined;
  let held: HeldKeys = holdKeys(new Map(), ofOperator, undefined);
  let recent = createRecentKeys();
  let lastWork: Promise<unknown> = Promise.resolve();

  /** Runs work one at a time: a reload that overlaps a change could bring back a revoked key. */
  function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const done = lastWork.then(work);
    lastWork = done.catch(() => {});
    return done;
  }

  async function readRows(): Promise<Map<string, KeyRow>> {
    const found = new Map<string, KeyRow>();
    // A key whose row is damaged is not accepted; all others are.
    for await (const batch of items.scan(keysSpace, { skipDamaged: true })) {
      await runInSlices(readBatch(batch, found));
    }
    return found;
  }

  /** A thousand keys have some megabytes. */
  function* readBatch(batch: readonly Row[], found: Map<string, KeyRow>): Steps<void> {
    for (const [index, { key, value }] of batch.entries()) {
      found.set(key, readKeyRow(value));
      if (index % rowsPerStep === rowsPerStep - 1) yield;
    }
  }

  async function load(): Promise<void> {
    accept(await readRows());
  }

  function accept(current: ReadonlyMap<string, KeyRow>): void {
    if (rows !== undefined) logDifference(rows, current);
    const before = held;
    rows = current;
    held = holdKeys(current, ofOperator, before);
    for (const [id, key] of before.byId) if (held.byId.get(id) !== key) key.grant.isDeleted = true;
    recent = createRecentKeys();
  }

  function logDifference(before: ReadonlyMap<string, KeyRow>, after: ReadonlyMap<string, KeyRow>): void {
    for (const [keyId, { project }] of after) {
      if (!before.has(keyId)) log?.info({ keyId, project }, 'key created');
    }
    for (const [keyId, row] of before) {
      if (after.has(keyId)) continue;
      const { project } = row;
      log?.info({ keyId, project }, isKeyExpired(row, nowSeconds(clock)) ? 'key expired' : 'key revoked');
    }
  }

  function isValid({ expiresAtSeconds }: Grant, nowMs: number): boolean {
    return expiresAtSeconds === undefined || nowMs < expiresAtSeconds * 1000;
  }

  function findValid(keyId: string) {
    const key = held.byId.get(keyId);
    return key !== undefined && isValid(key.grant, clock()) ? key : undefined;
  }

  /** Gives undefined if the id is taken. */
  async function add(id: string, project: string, options: NewKeyOptions): Promise<NewKey | undefined> {
    const problem = projectProblem(project);
    if (problem !== undefined) throw new OperatorError(problem);
    const key = newApiKey(project);
    const sha256 = hashOf(key);
    const createdSeconds = nowSeconds(clock);
    const limits = limitsOf(options, createdSeconds);
    const { name } = options;
    const row: KeyRow =
      limits === undefined
        ? { project, name, sha256, createdSeconds }
        : { project, name, limited: { ...limits, sha256 }, createdSeconds };
    const isMade = await items.transact(keysSpace, [id], ([before]): Change<boolean> => {
      return before === undefined ? { puts: [keyRow(id, row)], result: true } : { result: false };
    });
    if (!isMade) return undefined;
    accept(new Map([...(rows ?? []), [id, row]]));
    return { ...infoOf(id, row), key };
  }

  function usedMs(id: string): number {
    return held.byId.get(id)?.lastUsedMs ?? 0;
  }

  /** With the last use that this server has seen and not yet written. */
  function infoNow(id: string, row: KeyRow): KeyInfo {
    return infoOf(id, { ...row, lastUsedSeconds: newlyUsed(row, usedMs(id)) ?? row.lastUsedSeconds });
  }

  async function tidy(): Promise<void> {
    const now = nowSeconds(clock);
    const ids = Array.from(rows ?? [])
      .filter(([id, row]) => isKeyExpired(row, now) || newlyUsed(row, usedMs(id)) !== undefined)
      .map(([id]) => id);
    for (let at = 0; at < ids.length; at += tidiedAtOnce) {
      const current = new Map(rows);
      for (const [id, row] of await tidyRows(items, ids.slice(at, at + tidiedAtOnce), { now, usedMs })) {
        if (row === undefined) current.delete(id);
        else current.set(id, row);
      }
      accept(current);
    }
  }

  function countKeys(project: string): number {
    return [...(rows?.values() ?? [])].filter((row) => row.project === project).length;
  }

  const ring: KeyRing = {
    /**
     * Takes the same time for every wrong key (docs/http.md#keys): a key that is not a recent one, also an absent
     * one, is hashed and its hash looked up. The time of the look-up depends on the hash, which does not reveal
     * how close a guess is to a valid key.
     */
    authenticate(apiKey = '') {
      let key = recent.find(apiKey);
      if (key === undefined) {
        key = held.byHash.get(hashOf(apiKey));
        if (key === undefined) return undefined;
        recent.add(apiKey, key);
      }
      const nowMs = clock();
      if (!isValid(key.grant, nowMs)) return undefined;
      key.lastUsedMs = nowMs;
      return key.grant;
    },

    grantOf: (keyId) => findValid(keyId)?.grant,

    describe(keyId) {
      const row = rows?.get(keyId);
      return row && infoNow(keyId, row);
    },

    linkSecret(keyId) {
      const key = findValid(keyId);
      return key && derived(key.sha256, 'link');
    },

    get isEmpty() {
      return held.byHash.size === 0;
    },

    reload: () => oneAtATime(load),

    create(project, options = { access: 'full' }) {
      return oneAtATime(async () => {
        // Keys that have expired do not count.
        if (countKeys(project) >= maxKeysPerProject) await tidy();
        if (countKeys(project) >= maxKeysPerProject) throw new TooManyKeys();
        return (await add(newKeyId(), project, options)) as NewKey;
      });
    },

    createFirst(project) {
      return oneAtATime(async () => {
        await load();
        if (!ring.isEmpty) return undefined;
        const made = await add(firstKeyId, project, { access: 'full' });
        if (made === undefined) await load();
        return made;
      });
    },

    async list() {
      return [...(await readRows())]
        .filter(([, row]) => !isKeyExpired(row, nowSeconds(clock)))
        .map(([id, row]) => infoNow(id, row))
        .sort(byProjectThenAge);
    },

    revoke(id, project) {
      return oneAtATime(async () => {
        const known = await items.transact(keysSpace, [id], ([row]): Change<boolean> => {
          const isMeant = row !== undefined && (project === undefined || readKeyRow(row).project === project);
          return { deletes: isMeant ? [id] : [], result: isMeant };
        });
        await load();
        return known;
      });
    },

    tidy: () => oneAtATime(tidy),
  };

  await ring.reload();
  return ring;
}
