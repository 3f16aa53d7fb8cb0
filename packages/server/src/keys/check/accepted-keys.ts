import { createHmac, hash } from 'node:crypto';
import { type Grant, limitedGrant, unlimitedGrant } from '../../access/grant.js';
import { projectOf } from '../key-format.js';
import type { KeyRow } from '../key-row.js';

/** A key in memory. */
export interface AcceptedKey {
  readonly grant: Grant;
  readonly sha256: string;
  /** When this server last saw it, in milliseconds since 1970 UTC; 0 if it did not. */
  lastUsedMs: number;
}

/** All keys that the server accepts, by the hash of the key and by its id. */
export type AcceptedKeys = ReturnType<typeof acceptKeys>;

export function hashOf(apiKey: string): string {
  return hash('sha256', apiKey, 'base64url');
}

/**
 * A text of 256 bits that only the key determines, for a purpose. It reveals nothing of the key or of its hash, except
 * that a guess of the whole key can be verified with it.
 */
export function derived(sha256: string, purpose: string): Buffer {
  return createHmac('sha256', sha256).update(`basedrive ${purpose}`).digest();
}

const operatorIdCharacters = 12;

/** Holds the operator's keys. They have no row, so their ids are derived from the keys. */
export function acceptOperatorKeys(operatorKeys: readonly string[]): readonly AcceptedKey[] {
  return operatorKeys.map((key) => {
    const sha256 = hashOf(key);
    const id = `operator-${derived(sha256, 'key id').toString('hex').slice(0, operatorIdCharacters)}`;
    return { grant: unlimitedGrant(id, projectOf(key)), sha256, lastUsedMs: 0 };
  });
}

/**
 * Holds the keys of these rows, and the operator's. A key that was held before keeps its state: when it was used, and
 * how much of its rate is left.
 */
export function acceptKeys(
  rows: ReadonlyMap<string, KeyRow>,
  operatorKeys: readonly AcceptedKey[],
  before: { readonly byId: ReadonlyMap<string, AcceptedKey> } | undefined,
) {
  const held = Array.from(rows, ([id, row]) => {
    const known = before?.byId.get(id);
    return known !== undefined && known.sha256 === (row.limited ?? row).sha256 ? known : acceptKey(id, row);
  });
  const all = [...operatorKeys, ...held.filter((key) => key !== undefined)];
  return {
    byHash: new Map(all.map((key) => [key.sha256, key])),
    byId: new Map(all.map((key) => [key.grant.keyId, key])),
    areOfOneProject: all.every((key) => key.grant.project === all[0]?.grant.project),
  };
}

function acceptKey(id: string, { project, sha256, limited }: KeyRow): AcceptedKey | undefined {
  if (limited !== undefined) {
    return { grant: limitedGrant(id, project, limited), sha256: limited.sha256, lastUsedMs: 0 };
  }
  return sha256 === undefined ? undefined : { grant: unlimitedGrant(id, project), sha256, lastUsedMs: 0 };
}
