import type { Grant, Limits } from '../access/grant.js';
import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import type { Log } from '../lib/log.js';
import { OperatorError } from '../operator-error.js';
import { type AcceptedKey, derived, hashOf } from './check/accepted-keys.js';
import { signKey } from './check/signed-keys.js';
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
import { KnownKeys } from './known-keys.js';
import { limitsOf, maxKeysPerProject, type NewKeyOptions } from './new-key.js';
import { keyIdOf, s3CredentialsOf } from './s3-credentials.js';
import { deleteStoredKey, readStoredKeys, storeKey } from './stored-keys.js';

/** Who signs requests with the S3 credentials of a key. */
export interface S3Signer {
  readonly grant: Grant;
  /** Notes that the key was used. */
  readonly noteUse: () => void;
}

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
  /** Who signs with this S3 access key id, and with which secret; undefined if no valid key has it. */
  s3Signer(accessKeyId: string): { readonly signer: S3Signer; readonly secret: string } | undefined;
  /**
   * Makes a key that is not stored (docs/http.md#signed-keys), signed with the secret of another one. Undefined if that
   * one has ended.
   */
  sign(keyId: string, options: NewKeyOptions): NewKey | undefined;
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
  const known = new KnownKeys(items, { operatorKeys, clock, log });
  const { check } = known;
  /** Derived once: every request of an S3 client needs one. */
  const s3Secrets = new WeakMap<AcceptedKey, string>();
  /** A reload that overlaps a change could bring back a revoked key. */
  const oneAtATime = createSemaphore(() => 1);

  /** Gives undefined if the id is taken. */
  async function add(id: string, project: string, options: NewKeyOptions): Promise<NewKey | undefined> {
    const { key, row } = makeKey(project, options, nowSeconds(clock));
    if (!(await storeKey(items, id, row))) return undefined;
    known.add(id, row);
    const s3 = row.s3 && s3CredentialsOf(id, hashOf(key));
    return { ...infoOf(id, row), key, ...(s3 && { s3 }) };
  }

  await known.load();
  return {
    authenticate: check.authenticate,

    grantOf: (keyId) => check.find(keyId)?.grant,

    describe(keyId) {
      const signed = check.signed(keyId);
      const project = '';
      return signed === undefined ? known.infoOf(keyId) : { ...signed, project };
    },

    sign(keyId, options) {
      const parent = check.find(keyId);
      if (parent === undefined) return undefined;
      const createdSeconds = nowSeconds(clock);
      const limits = limitsOf(options, createdSeconds) as Limits;
      const { project } = parent.grant;
      const payload = { id: newKeyId(), name: options.name, limits, createdSeconds };
      return { ...payload, project, key: signKey(project, parent, payload) };
    },

    linkSecret(keyId) {
      const key = check.find(keyId);
      return key && derived(key.sha256, 'link');
    },

    s3Signer(accessKeyId) {
      const keyId = keyIdOf(accessKeyId);
      if (keyId === undefined || !known.hasS3(keyId)) return undefined;
      const key = check.find(keyId);
      if (key === undefined) return undefined;
      const noteUse = () => {
        key.lastUsedMs = clock();
      };
      let secret = s3Secrets.get(key);
      if (secret === undefined) {
        secret = s3CredentialsOf(keyId, key.sha256).secretAccessKey;
        s3Secrets.set(key, secret);
      }
      return { signer: { grant: key.grant, noteUse }, secret };
    },

    get isEmpty() {
      return check.isEmpty;
    },

    reload: () => oneAtATime(() => known.load()),

    create(project, options = { access: 'full' }) {
      return oneAtATime(async () => {
        // Keys that have expired do not count.
        if (known.countOf(project) >= maxKeysPerProject) await known.tidy();
        if (known.countOf(project) >= maxKeysPerProject) throw new TooManyKeys();
        return (await add(newKeyId(), project, options)) as NewKey;
      });
    },

    createFirst(project) {
      return oneAtATime(async () => {
        await known.load();
        if (!check.isEmpty) return undefined;
        const made = await add(firstKeyId, project, { access: 'full' });
        if (made === undefined) await known.load();
        return made;
      });
    },

    async list() {
      return [...(await readStoredKeys(items))]
        .filter(([, row]) => !isKeyExpired(row, nowSeconds(clock)))
        .map(([id, row]) => known.infoNow(id, row))
        .sort(byProjectThenAge);
    },

    revoke(id, project) {
      return oneAtATime(async () => {
        const existed = await deleteStoredKey(items, id, project);
        await known.load();
        return existed;
      });
    },

    tidy: () => oneAtATime(() => known.tidy()),
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
  const s3 = options.s3 || undefined;
  const row: KeyRow =
    limits === undefined
      ? { project, name, sha256, s3, createdSeconds }
      : { project, name, limited: { ...limits, sha256 }, s3, createdSeconds };
  return { key, row };
}
