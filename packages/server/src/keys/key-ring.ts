import { hash } from 'node:crypto';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import { keysSpace } from '../spaces.js';
import { newApiKey, newKeyId, projectOf, projectProblem } from './api-key.js';
import { createRecentKeys } from './recent-keys.js';

/** What is stored about a key. */
export interface KeyInfo {
  readonly id: string;
  readonly project: string;
  /** Whole seconds since 1970 UTC. */
  readonly createdSeconds: number;
}

/** A new key, with the key itself: it is shown once and stored nowhere. */
export interface NewKey extends KeyInfo {
  readonly key: string;
}

/** What commands do with keys, in this process or in the running server. */
export interface KeyAdministration {
  /** Throws `OperatorError` for an invalid project name. */
  create(project: string): Promise<NewKey>;
  /** All created keys, by project, then by age. Keys that the operator gave at the start are not among them. */
  list(): Promise<readonly KeyInfo[]>;
  /** Gives whether the key existed. When the promise resolves, it no longer works. */
  revoke(id: string): Promise<boolean>;
}

export interface KeyRing extends KeyAdministration {
  /** The project that the key belongs to, or undefined if it is not valid. */
  authenticate(apiKey: string | undefined): string | undefined;
  /** Whether any key is accepted. */
  readonly isEmpty: boolean;
  /**
   * Creates the first key of a store that accepts none. Gives undefined if a key exists by now: another server that
   * starts at the same time may have created it.
   */
  createFirst(project: string): Promise<NewKey | undefined>;
  /** Reads the rows again: another server may have changed them. */
  reload(): Promise<void>;
}

/** Servers that start at the same time write the same row, so that only one of them creates the key. */
const firstKeyId = 'first';

interface KeyRow {
  readonly project: string;
  readonly sha256: string;
  readonly createdSeconds: number;
}

/**
 * Opens the keys of a store. A row holds the hash of a key, never the key; the operator's keys are only in memory. The
 * digests of all keys are in a map, so that a request is checked without a read. Every created or revoked key is
 * logged, also when another server or a command did it.
 */
export async function createKeyRing(
  items: ItemStore,
  operatorKeys: readonly string[],
  clock: Clock,
  log?: Log,
): Promise<KeyRing> {
  const operatorProjects = new Map(operatorKeys.map((key) => [digest(key), projectOf(key)]));
  let projects: ReadonlyMap<string, string> = operatorProjects;
  let rows: ReadonlyMap<string, KeyRow> | undefined;
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
    for await (const batch of items.scan(keysSpace)) {
      for (const { key, value } of batch) found.set(key, JSON.parse(value.toString()) as KeyRow);
    }
    return found;
  }

  async function load(): Promise<void> {
    accept(await readRows());
    recent = createRecentKeys();
  }

  function accept(current: ReadonlyMap<string, KeyRow>): void {
    if (rows !== undefined) logDifference(rows, current);
    rows = current;
    projects = new Map([
      ...operatorProjects,
      ...[...current.values()].map(({ sha256, project }) => [sha256, project] as const),
    ]);
  }

  function logDifference(before: ReadonlyMap<string, KeyRow>, after: ReadonlyMap<string, KeyRow>): void {
    for (const [keyId, { project }] of after) {
      if (!before.has(keyId)) log?.info({ keyId, project }, 'key created');
    }
    for (const [keyId, { project }] of before) {
      if (!after.has(keyId)) log?.info({ keyId, project }, 'key revoked');
    }
  }

  /** Gives undefined if the id is taken. */
  async function add(id: string, project: string): Promise<NewKey | undefined> {
    const problem = projectProblem(project);
    if (problem !== undefined) throw new OperatorError(problem);
    const key = newApiKey(project);
    const createdSeconds = nowSeconds(clock);
    const row: KeyRow = { project, sha256: digest(key), createdSeconds };
    const value = Buffer.from(JSON.stringify(row));
    const isMade = await items.transact(keysSpace, [id], ([before]) => {
      return before === undefined ? { puts: [{ key: id, value }], result: true } : { result: false };
    });
    if (!isMade) return undefined;
    accept(new Map([...(rows ?? []), [id, row]]));
    return { id, project, createdSeconds, key };
  }

  const ring: KeyRing = {
    /**
     * Takes the same time for every wrong key (docs/http.md#keys): a key that is not a recent one, also an absent
     * one, is hashed and its digest looked up. The time of the look-up depends on the digest, which does not reveal
     * how close a guess is to a valid key.
     */
    authenticate(apiKey = '') {
      const known = recent.find(apiKey);
      if (known !== undefined) return known;
      const project = projects.get(digest(apiKey));
      if (project !== undefined) recent.add(apiKey, project);
      return project;
    },

    get isEmpty() {
      return projects.size === 0;
    },

    reload: () => oneAtATime(load),

    create: (project) => oneAtATime(async () => (await add(newKeyId(), project)) as NewKey),

    createFirst(project) {
      return oneAtATime(async () => {
        await load();
        if (projects.size > 0) return undefined;
        const made = await add(firstKeyId, project);
        if (made === undefined) await load();
        return made;
      });
    },

    async list() {
      return [...(await readRows())]
        .map(([id, { project, createdSeconds }]): KeyInfo => ({ id, project, createdSeconds }))
        .sort(byProjectThenAge);
    },

    revoke(id) {
      return oneAtATime(async () => {
        const known = await items.transact(keysSpace, [id], ([row]) => ({
          deletes: row === undefined ? [] : [id],
          result: row !== undefined,
        }));
        await load();
        return known;
      });
    },
  };

  await ring.reload();
  return ring;
}

function digest(apiKey: string): string {
  return hash('sha256', apiKey, 'base64url');
}

function byProjectThenAge(a: KeyInfo, b: KeyInfo): number {
  if (a.project !== b.project) return a.project < b.project ? -1 : 1;
  return a.createdSeconds - b.createdSeconds || (a.id < b.id ? -1 : 1);
}
