import { hasEnded } from '../../access/grant.js';
import type { Clock } from '../../lib/clock.js';
import { idOfLimitedKey } from '../key-format.js';
import type { KeyRow } from '../key-row.js';
import type { LimitedKeys } from '../limited/limited-keys.js';
import {
  type AcceptedKey,
  type AcceptedKeys,
  acceptKeys,
  acceptOperatorKeys,
  hashOf,
} from './accepted-keys.js';
import { createRecentlyAccepted } from './recently-accepted.js';
import { createSignedKeys } from './signed-keys.js';

export interface KeyCheckOptions {
  readonly operatorKeys: readonly string[];
  readonly limited: Pick<LimitedKeys, 'get' | 'usedMs'>;
  readonly clock: Clock;
}

export type KeyCheck = ReturnType<typeof createKeyCheck>;

/** Checks the keys of requests against those that are in memory. Nothing is read. */
export function createKeyCheck({ operatorKeys, limited, clock }: KeyCheckOptions) {
  const ofOperator = acceptOperatorKeys(operatorKeys);
  let accepted: AcceptedKeys = acceptKeys(new Map(), ofOperator, undefined);
  let recent = createRecentlyAccepted();
  const signed = createSignedKeys((keyId) => accepted.byId.get(keyId));

  function limitedKey(apiKey: string, sha256: string): AcceptedKey | undefined {
    const key = limited.get(idOfLimitedKey(apiKey) ?? '');
    return key?.sha256 === sha256 ? key : undefined;
  }

  return {
    /**
     * What the key may do, or undefined if it is not valid. Notes that it was used. Takes the same time for every wrong
     * key (docs/http.md#keys): a key that is not a recent one, also an absent one, is hashed and its hash looked up. The
     * time of the look-up depends on the hash, which does not reveal how close a guess is to a valid key.
     */
    authenticate(apiKey: string | undefined = '') {
      let key = recent.find(apiKey);
      if (key === undefined) {
        const sha256 = hashOf(apiKey);
        key = accepted.byHash.get(sha256) ?? limitedKey(apiKey, sha256) ?? signed.find(apiKey);
        if (key === undefined) return undefined;
        recent.add(apiKey, key);
      }
      if (hasEnded(key.grant, clock)) return undefined;
      key.lastUsedMs = clock();
      return key.grant;
    },

    /** The key with this id, or undefined if there is no such key that is valid. */
    find(keyId: string) {
      const key = accepted.byId.get(keyId) ?? limited.get(keyId);
      return key !== undefined && !hasEnded(key.grant, clock) ? key : undefined;
    },

    /** What is known of a key that is not stored and was used lately. */
    signed: signed.payloadOf,
    /** When this server last saw the key with this id, in milliseconds since 1970 UTC; 0 if it did not. */
    usedMs: (keyId: string) => accepted.byId.get(keyId)?.lastUsedMs ?? limited.usedMs(keyId),

    /** Whether any key is accepted. */
    get isEmpty() {
      return accepted.byHash.size === 0;
    },
    /** Whether all keys that it holds are of one project; those with limits are not looked at. */
    get areOfOneProject() {
      return accepted.areOfOneProject;
    },

    /** From now on, accepts the keys of these rows, and the operator's. */
    accept(rows: ReadonlyMap<string, KeyRow>) {
      const before = accepted;
      accepted = acceptKeys(rows, ofOperator, before);
      for (const [id, key] of before.byId) if (accepted.byId.get(id) !== key) key.grant.isDeleted = true;
      signed.endOrphans();
      recent = createRecentlyAccepted();
    },
  };
}
