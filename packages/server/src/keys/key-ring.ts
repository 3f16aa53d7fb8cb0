import type { Grant } from '../access/grant.js';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import { derived, hashOf } from './check/accepted-keys.js';
import { createKeyCheck } from './check/key-check.js';
import {
  byProjectThenAge,
  infoOf,
  type KeyAdministration,
  type KeyInfo,
  type NewKey,
  TooManyKeys,
} from './key-administration.js';
import { newApiKey, newKeyId, projectProblem } from './key-format.js';
import { isKeyExpired, type KeyRow } from './key-row.js';
import { limitsOf, maxKeysPerProject, type NewKeyOptions } from './new-key.js';
import { deleteStoredKey, newlyUsed, readStoredKeys, storeKey, tidyStoredKeys } from './stored-keys.js';

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

/**
 * Opens the keys of a store; the operator's keys are only in memory. Every created or revoked key is logged, also when
 * another server or a command did it.
 */
export async function createKeyRing(
  items: ItemStore,
  operatorKeys: readonly string[],
  clock: Clock,
  log?: Log,
): Promise<KeyRing> {
  const check = createKeyCheck(operatorKeys, clock);
  let rows: ReadonlyMap<string, KeyRow> | undefined;
  /** A reload that overlaps a change could bring back a revoked key. */
  const oneAtATime = createSemaphore(() => 1);

  function accept(current: ReadonlyMap<string, KeyRow>): void {
    if (rows !== undefined && log !== undefined) logDifference(log, rows, current, nowSeconds(clock));
    rows = current;
    check.accept(current);
  }

  async function load(): Promise<void> {
    accept(await readStoredKeys(items));
  }

  /** Gives undefined if the id is taken. */
  async function add(id: string, project: string, options: NewKeyOptions): Promise<NewKey | undefined> {
    const { key, row } = makeKey(project, options, nowSeconds(clock));
    if (!(await storeKey(items, id, row))) return undefined;
    accept(new Map([...(rows ?? []), [id, row]]));
    return { ...infoOf(id, row), key };
  }

  /** With the last use that this server has seen and not yet written. */
  function infoNow(id: string, row: KeyRow): KeyInfo {
    return infoOf(id, { ...row, lastUsedSeconds: newlyUsed(row, check.usedMs(id)) ?? row.lastUsedSeconds });
  }

  async function tidy(): Promise<void> {
    const now = nowSeconds(clock);
    const { usedMs } = check;
    const ids = Array.from(rows ?? [])
      .filter(([id, row]) => isKeyExpired(row, now) || newlyUsed(row, usedMs(id)) !== undefined)
      .map(([id]) => id);
    for (let at = 0; at < ids.length; at += tidiedAtOnce) {
      const current = new Map(rows);
      const tidied = await tidyStoredKeys(items, ids.slice(at, at + tidiedAtOnce), { now, usedMs });
      for (const [id, row] of tidied) {
        if (row === undefined) current.delete(id);
        else current.set(id, row);
      }
      accept(current);
    }
  }

  function countKeys(project: string): number {
    return [...(rows?.values() ?? [])].filter((row) => row.project === project).length;
  }

  await load();
  return {
    authenticate: check.authenticate,

    grantOf: (keyId) => check.find(keyId)?.grant,

    describe(keyId) {
      const row = rows?.get(keyId);
      return row && infoNow(keyId, row);
    },

    linkSecret(keyId) {
      const key = check.find(keyId);
      return key && derived(key.sha256, 'link');
    },

    get isEmpty() {
      return check.isEmpty;
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
        if (!check.isEmpty) return undefined;
        const made = await add(firstKeyId, project, { access: 'full' });
        if (made === undefined) await load();
        return made;
      });
    },

    async list() {
      return [...(await readStoredKeys(items))]
        .filter(([, row]) => !isKeyExpired(row, nowSeconds(clock)))
        .map(([id, row]) => infoNow(id, row))
        .sort(byProjectThenAge);
    },

    revoke(id, project) {
      return oneAtATime(async () => {
        const known = await deleteStoredKey(items, id, project);
        await load();
        return known;
      });
    },

    tidy: () => oneAtATime(tidy),
  };
}

/** Makes a key and its row. Throws `OperatorError` for an invalid project name. */
function makeKey(project: string, options: NewKeyOptions, createdSeconds: number) {
  const problem = projectProblem(project);
  if (problem !== undefined) throw new OperatorError(problem);
  const key = newApiKey(project);
  const sha256 = hashOf(key);
  const limits = limitsOf(options, createdSeconds);
  const { name } = options;
  const row: KeyRow =
    limits === undefined
      ? { project, name, sha256, createdSeconds }
      : { project, name, limited: { ...limits, sha256 }, createdSeconds };
  return { key, row };
}

function logDifference(
  log: Log,
  before: ReadonlyMap<string, KeyRow>,
  after: ReadonlyMap<string, KeyRow>,
  nowSeconds: number,
): void {
  for (const [keyId, { project }] of after) {
    if (!before.has(keyId)) log.info({ keyId, project }, 'key created');
  }
  for (const [keyId, row] of before) {
    if (after.has(keyId)) continue;
    const { project } = row;
    log.info({ keyId, project }, isKeyExpired(row, nowSeconds) ? 'key expired' : 'key revoked');
  }
}
