import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Grant, Limits } from '../access/grant.js';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { allSettledOrThrow } from '../lib/concurrency/all-settled.js';
import { createSemaphores } from '../lib/concurrency/semaphore.js';
import { shareRuns } from '../lib/concurrency/share-runs.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import { type AcceptedKey, derived, hashOf } from './check/accepted-keys.js';
import { signKey } from './check/signed-keys.js';
import {
  infoOf,
  type KeyAdministration,
  type KeyInfo,
  type NewKey,
  TooManyKeys,
} from './key-administration.js';
import { idOfLimitedKey, newApiKey, newKeyId, projectProblem } from './key-format.js';
import type { KeyRow } from './key-row.js';
import { type LimitedKeys, openLimitedKeys } from './limited/limited-keys.js';
import { listKeys } from './list-keys.js';
import { isLimited, limitsOf, maxKeysPerProject, type NewKeyOptions } from './new-key.js';
import { keyIdOf, s3CredentialsOf } from './s3-credentials.js';
import { createS3Signers, type SignerWithSecret } from './s3-signers.js';
import { deleteStoredKey, deleteStoredKeysOf, storeKey } from './stored-keys.js';
import { UnlimitedKeys } from './unlimited-keys.js';

/**
 * Keys without limits are in memory. A limited key is read when it is used: who asks for one by itself or by its id calls
 * `read` or `readId` before, which give undefined when there is nothing to read.
 */
export interface KeyRing extends KeyAdministration {
  /** What the key may do, or undefined if it is not valid. Notes that it was used. */
  authenticate(apiKey: string | undefined): Grant | undefined;
  /** Reads a limited key into memory. Rejects with `StorageUnavailable`. */
  read(apiKey: string | undefined): Promise<void> | undefined;
  /** Reads the limited key with this id into memory. Rejects with `StorageUnavailable`. */
  readId(keyId: string): Promise<void> | undefined;
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
  /** Who signs with this S3 access key id, and with which secret; undefined if no valid key has it. */
  s3Signer(accessKeyId: string): SignerWithSecret | undefined;
  /** Reads the limited key that has this S3 access key id into memory. Rejects with `StorageUnavailable`. */
  readS3(accessKeyId: string): Promise<void> | undefined;
  /**
   * Makes a key that is not stored (docs/http.md#signed-keys), signed with the secret of another one. Undefined if that
   * one has ended.
   */
  sign(keyId: string, options: NewKeyOptions): NewKey | undefined;
  /** Whether any key is accepted. */
  readonly isEmpty: boolean;
  /** Whether all keys without limits are of one project. */
  readonly areOfOneProject: boolean;
  /**
   * Creates the first key of a store that accepts none. Gives undefined if a key exists by now: another server that
   * starts at the same time may have created it.
   */
  createFirst(project: string): Promise<NewKey | undefined>;
  /** Reads the rows again: another server may have changed them. */
  reload(): Promise<void>;
  /** Writes when keys were used last, and deletes the rows of keys without a due time that have expired. */
  tidy(): Promise<void>;
  /** Handles a due row of a limited key: deletes it if it has expired. */
  handleDue(space: string, id: string): Promise<boolean>;
  /** Revokes all keys of a project. */
  revokeAll(project: string): Promise<void>;
}

/** Servers that start at the same time write the same row, so that only one of them creates the key. */
const firstKeyId = 'first';

export interface KeyRingOptions {
  readonly log?: Log | undefined;
  /** What the limited keys in memory may take, in bytes. */
  readonly maxHeldBytes?: number | undefined;
}

/**
 * Opens the keys of a store; the operator's keys are only in memory. Every created or revoked key is logged, also when
 * another server or a command did it.
 */
export async function createKeyRing(
  items: ItemStore,
  operatorKeys: readonly string[],
  clock: Clock,
  { log, maxHeldBytes }: KeyRingOptions = {},
): Promise<KeyRing> {
  const limited = await openLimitedKeys(items, { clock, log, bytes: maxHeldBytes });
  const unlimited = new UnlimitedKeys(items, { operatorKeys, limited, clock, log });
  const { check } = unlimited;
  /** The keys of a project are counted before one is made, so its creates run one at a time. Nothing else waits for them. */
  const oneAtATime = createSemaphores(1);

  /** Gives undefined if the id is taken. */
  async function addUnlimited(id: string, project: string, options: NewKeyOptions) {
    const made = newUnlimited(id, project, options, nowSeconds(clock));
    if (!(await storeKey(items, id, made.row))) return undefined;
    unlimited.add(id, made.row);
    return made.key;
  }

  /** If the keys of one kind cannot be read, this server still learns of the changes of the other kind. */
  const load = shareRuns(async () => {
    await allSettledOrThrow([unlimited.load(), ...(items.isShared ? [limited.refresh()] : [])]);
    isEmpty = check.isEmpty && (await limited.isEmpty());
  });

  let isEmpty = true;
  await load();
  return {
    ...askedByRequests(unlimited, limited, clock),

    get areOfOneProject() {
      return check.areOfOneProject;
    },
    get isEmpty() {
      return isEmpty && check.isEmpty;
    },

    reload: load,
    list: (range) => listKeys(range, { items, unlimited, limited, clock }),
    handleDue: (_space, id) => limited.handleDue(id),

    async create(project, options = { access: 'full' }) {
      requireProject(project);
      if (isLimited(options)) {
        const made = await limitedKey(limited, project, options);
        isEmpty = false;
        return made;
      }
      return await oneAtATime(project)(async () => {
        if (unlimited.countOf(project) >= maxKeysPerProject) throw new TooManyKeys();
        return (await addUnlimited(newKeyId(), project, options)) as NewKey;
      });
    },

    async createFirst(project) {
      await load();
      if (!isEmpty) return undefined;
      const made = await addUnlimited(firstKeyId, project, { access: 'full' });
      if (made === undefined) await load();
      return made;
    },

    async revoke(id, project) {
      if (await limited.isOne(id)) return await limited.revoke(id, project);
      const existed = await deleteStoredKey(items, id, project);
      if (existed) unlimited.end(id);
      await load();
      return existed;
    },

    async revokeAll(project) {
      while (await limited.revokeSome(project)) await nextTurn();
      await deleteStoredKeysOf(items, project);
      await load();
    },

    async tidy() {
      await unlimited.tidy();
      await limited.tidy();
    },
  };
}

/** Throws `OperatorError` if no project can have this name. */
function requireProject(project: string): void {
  const problem = projectProblem(project);
  if (problem !== undefined) throw new OperatorError(problem);
}

/** What requests ask about keys. */
function askedByRequests(unlimited: UnlimitedKeys, limited: LimitedKeys, clock: Clock) {
  const { check } = unlimited;
  const s3SignerOf = createS3Signers(clock);
  return {
    authenticate: check.authenticate,
    read: (apiKey = '') => limited.read(idOfLimitedKey(apiKey) ?? ''),
    readId: limited.read,

    grantOf: (keyId) => check.find(keyId)?.grant,

    describe(keyId) {
      const signed = check.signed(keyId);
      const project = '';
      return signed === undefined ? unlimited.infoOf(keyId) : { ...signed, project };
    },

    sign(keyId, options) {
      const parent = check.find(keyId);
      return parent && signedBy(parent, options, nowSeconds(clock));
    },

    linkSecret(keyId) {
      const key = check.find(keyId);
      return key && derived(key.sha256, 'link');
    },

    readS3: (accessKeyId) => limited.read(keyIdOf(accessKeyId) ?? ''),

    s3Signer(accessKeyId) {
      const keyId = keyIdOf(accessKeyId);
      if (keyId === undefined || !unlimited.hasS3(keyId)) return undefined;
      const key = check.find(keyId);
      return key && s3SignerOf(keyId, key);
    },
  } satisfies Partial<KeyRing>;
}

/** A new key that is not stored. */
function signedBy(parent: AcceptedKey, options: NewKeyOptions, createdSeconds: number): NewKey {
  const limits = limitsOf(options, createdSeconds) as Limits;
  const { project } = parent.grant;
  const payload = { id: newKeyId(), name: options.name, limits, createdSeconds };
  return { ...payload, project, key: signKey(project, parent, payload) };
}

async function limitedKey(limited: LimitedKeys, project: string, options: NewKeyOptions) {
  const rowOfNew = (key: string, created: number) => rowOf(key, project, options, created);
  const { id, key, row } = await limited.create({ project, rowOf: rowOfNew });
  return newKeyOf(id, key, row);
}

function newUnlimited(id: string, project: string, options: NewKeyOptions, createdSeconds: number) {
  const key = newApiKey(project);
  const row = rowOf(key, project, options, createdSeconds);
  return { row, key: newKeyOf(id, key, row) };
}

/** The row of a new key. */
function rowOf(key: string, project: string, options: NewKeyOptions, createdSeconds: number): KeyRow {
  const sha256 = hashOf(key);
  const limits = limitsOf(options, createdSeconds);
  const { name } = options;
  const s3 = options.s3 || undefined;
  return limits === undefined
    ? { project, name, sha256, s3, createdSeconds }
    : { project, name, limited: { ...limits, sha256 }, s3, createdSeconds };
}

function newKeyOf(id: string, key: string, row: KeyRow): NewKey {
  const s3 = row.s3 && s3CredentialsOf(id, hashOf(key));
  return { ...infoOf(id, row), key, ...(s3 && { s3 }) };
}
