import type { Clock } from '../lib/clock.js';
import type { RequestError } from '../request-error.js';
import { allNames, type NameSet, nameSet, noNames } from './name-set.js';
import { RateLimiter } from './rate-limiter.js';
import { type KeyAccess, ranks } from './rights.js';

/** The limits of a key, as they are stored (docs/http.md#limited-keys). What is absent is not limited. */
export interface Limits {
  readonly access: KeyAccess;
  readonly bases?: readonly string[] | undefined;
  readonly drives?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
  /** Whole seconds since 1970 UTC: from then on the key is not valid. */
  readonly expiresAtSeconds?: number | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly requestsPerSecond?: number | undefined;
}

/** What the key of a request may do. There is one for each key in memory. */
export interface Grant {
  /** The id of the key: it stays the same and does not reveal the key. */
  readonly keyId: string;
  readonly project: string;
  /** The rank of the key's access in the order of needs: `rights.ts`. */
  readonly rank: number;
  readonly bases: NameSet;
  readonly drives: NameSet;
  /** The keys of items and names of files begin with it; empty for all. */
  readonly prefix: string;
  readonly expiresAtSeconds: number | undefined;
  /** The origins of web pages that may use the key; undefined for all. */
  readonly origins: ReadonlySet<string> | undefined;
  readonly rate: RateLimiter | undefined;
  /** Whether the key is not stored. It makes no links: nothing would know of them. */
  readonly isSigned?: boolean;
  /** Whether the key was deleted since: requests in progress have the grant that it had. */
  isDeleted: boolean;
}

/** The grant of a request without a key. */
export const nobody: Grant = {
  keyId: '',
  project: '',
  rank: ranks['no key'],
  bases: noNames,
  drives: noNames,
  prefix: '',
  expiresAtSeconds: undefined,
  origins: undefined,
  rate: undefined,
  isDeleted: false,
};

/** The grant of a key without limits: everything in its project. */
export function unlimitedGrant(keyId: string, project: string): Grant {
  return { ...nobody, keyId, project, rank: ranks['no limit'], bases: allNames, drives: allNames };
}

/** The grant of a limited key. If it names bases and no drives, it reaches no drive, and the other way round. */
export function limitedGrant(keyId: string, project: string, limits: Limits): Grant {
  const { access, bases, drives, prefix = '', expiresAtSeconds, origins, requestsPerSecond } = limits;
  const isEverywhere = bases === undefined && drives === undefined;
  const namesOf = (patterns: readonly string[] | undefined) =>
    nameSet(patterns ?? (isEverywhere ? ['*'] : []));
  return {
    keyId,
    project,
    rank: ranks[access],
    bases: namesOf(bases),
    drives: namesOf(drives),
    prefix,
    expiresAtSeconds,
    origins: origins && new Set(origins),
    rate: requestsPerSecond === undefined ? undefined : new RateLimiter(requestsPerSecond),
    isDeleted: false,
  };
}

/** Whether the key was deleted or has expired since the request began (docs/http.md#delete-key). */
export function hasEnded({ isDeleted, expiresAtSeconds }: Grant, clock: Clock): boolean {
  return isDeleted || (expiresAtSeconds !== undefined && clock() >= expiresAtSeconds * 1000);
}

/** At most this many bytes are given at once: a chunk may be as large as what an engine reads at once. */
const givenBytes = 256 * 1024;

/**
 * The bytes of an answer that may take long, as long as the key is valid (docs/http.md#delete-key) and the project is there.
 * Then it throws the 401 or 410 `RequestError`, which ends the connection.
 */
export async function* whileValid(
  request: { readonly hasAccessEnded: boolean; readonly accessEnd: RequestError },
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += givenBytes) {
      if (request.hasAccessEnded) throw request.accessEnd;
      yield chunk.length <= givenBytes ? chunk : chunk.subarray(at, at + givenBytes);
    }
  }
}
