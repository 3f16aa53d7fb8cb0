import type { Limits } from '../access/grant.js';
import type { Put } from '../engines/item-store.js';
import { limitedKeysSpace } from '../spaces.js';

/** What is stored about a key: its hash, never the key. */
export interface KeyRow {
  readonly project: string;
  /** What people call it. */
  readonly name?: string | undefined;
  /** The hash of a key without limits. */
  readonly sha256?: string | undefined;
  /**
   * The hash of a limited key, with its limits. Earlier versions of the service know no limits: they do not find the
   * hash here, so they refuse the key instead of giving it everything.
   */
  readonly limited?: (Limits & { readonly sha256: string }) | undefined;
  /** Whether the key also has S3 credentials. */
  readonly s3?: true | undefined;
  /** Whole seconds since 1970 UTC. */
  readonly createdSeconds: number;
  /** The beginning of the minute in which the key was used last, in seconds since 1970 UTC; undefined if it was not used. */
  readonly lastUsedSeconds?: number | undefined;
}

/** Reads the row of a key. Throws `SyntaxError`. */
export function readKeyRow(row: Buffer | string): KeyRow {
  return JSON.parse(row.toString()) as KeyRow;
}

/** Makes the row of a key in its space. A limited key there is due when it expires. */
export function keyRow(id: string, row: KeyRow, space: string): Put {
  const dueSeconds = space === limitedKeysSpace ? row.limited?.expiresAtSeconds : undefined;
  return {
    key: id,
    value: Buffer.from(JSON.stringify(row)),
    ...(dueSeconds !== undefined && { dueSeconds }),
  };
}

/** Whether the key is not valid any more at this second. */
export function isKeyExpired({ limited }: KeyRow, nowSeconds: number): boolean {
  return limited?.expiresAtSeconds !== undefined && limited.expiresAtSeconds <= nowSeconds;
}
