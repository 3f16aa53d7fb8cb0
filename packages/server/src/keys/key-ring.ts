import { hash } from 'node:crypto';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { OperatorError } from '../operator-error.js';
import { keysSpace } from '../spaces.js';
import { checkProject, newApiKey, newKeyId, projectOf } from './api-key.js';
import { createRecentKeys } from './recent-keys.js';

/** What may be told of a key once it was made. */
export interface KeyInfo {
  readonly id: string;
  readonly project: string;
  /** Whole seconds since 1970 UTC. */
  readonly createdSeconds: number;
}

/** With the key itself: shown once, stored nowhere. */
export interface NewKey extends KeyInfo {
  readonly key: string;
}

/** What the commands do with keys, in this process or in the running server. */
export interface KeyAdministration {
  /** Throws `OperatorError` for a project's name that breaks the rule. */
  create(project: string): Promise<NewKey>;
  /** In the order of projects, then of age. Keys that the operator gave at the start are not among them. */
  list(): Promise<readonly KeyInfo[]>;
  /** Whether there was such a key. It has stopped working when the promise resolves. */
  revoke(id: string): Promise<boolean>;
}

export interface KeyRing extends KeyAdministration {
  /** The project whose key this is, or undefined. */
  authenticate(apiKey: string | undefined): string | undefined;
  /** Whether any key is accepted. */
  readonly isEmpty: boolean;
  /**
   * "At the very first start with no key anywhere the server makes a project": the key, or undefined when there is
   * a key, though it came this very moment from another server that starts.
   */
  createFirst(project: string): Promise<NewKey | undefined>;
  /** Reads the rows again: other servers may share them. */
  reload(): Promise<void>;
}

/** All that start at once write the same row, so that one of them makes the key. */
const firstKeyId = 'first';

interface KeyRow {
  readonly project: string;
  readonly sha256: string;
  readonly createdSeconds: number;
}

/**
 * The keys: "only hashes are stored", one row each; those of the operator are held in memory alone. The
 * digests of all of them lie in a map, so that a request is checked without a read.
 */
export async function createKeyRing(
  items: ItemStore,
  operatorKeys: readonly string[],
  clock: Clock,
): Promise<KeyRing> {
  const operatorProjects = new Map(operatorKeys.map((key) => [digest(key), projectOf(key)]));
  let projects: ReadonlyMap<string, string> = operatorProjects;
  let recent = createRecentKeys();
  let turn: Promise<unknown> = Promise.resolve();

  /** A reload that overlaps a change could put back what the change took away. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  }

  async function readRows(): Promise<Map<string, KeyRow>> {
    const rows = new Map<string, KeyRow>();
    for await (const batch of items.scan(keysSpace)) {
      for (const { key, value } of batch) rows.set(key, JSON.parse(value.toString()) as KeyRow);
    }
    return rows;
  }

  async function load(): Promise<void> {
    const found = new Map(operatorProjects);
    for (const row of (await readRows()).values()) found.set(row.sha256, row.project);
    projects = found;
    recent = createRecentKeys();
  }

  /** Undefined when the id is taken. */
  async function add(id: string, project: string): Promise<NewKey | undefined> {
    const broken = checkProject(project);
    if (broken !== undefined) throw new OperatorError(broken);
    const key = newApiKey(project);
    const createdSeconds = nowSeconds(clock);
    const row: KeyRow = { project, sha256: digest(key), createdSeconds };
    const value = Buffer.from(JSON.stringify(row));
    const isMade = await items.transact(keysSpace, [id], ([before]) => {
      return before === undefined ? { puts: [{ key: id, value }], result: true } : { result: false };
    });
    if (!isMade) return undefined;
    projects = new Map([...projects, [row.sha256, project]]);
    return { id, project, createdSeconds, key };
  }

  const ring: KeyRing = {
    /**
     * "in constant time": every key that is not one of the last, an absent one too, is hashed and its digest looked
     * up. How long a look-up takes depends on the digest, which tells nothing of how near a guess came to a key.
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

    reload: () => inTurn(load),

    create: (project) => inTurn(async () => (await add(newKeyId(), project)) as NewKey),

    createFirst(project) {
      return inTurn(async () => {
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
      return inTurn(async () => {
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
