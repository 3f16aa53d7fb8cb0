import { forbidden, tooManyOfKey } from '../request-error.js';
import type { Grant } from './grant.js';
import { type Right, ranks } from './rights.js';
import { requireWithin } from './scope.js';

/** What of a request is compared with the grant of its key, before the handler runs. */
export interface AdmissionRequest {
  readonly headers: { readonly origin?: string | undefined };
  /** The base or drive of the path; empty if the path is that of a project. */
  readonly name: string;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: { get(name: string): string | undefined };
  /** When the request began, by a clock that never goes back. */
  readonly startedMs: number;
}

/**
 * Throws the 403 or 429 `RequestError` of a request that its key does not allow (docs/http.md#limited-keys). Nothing
 * stored is read for it, so the answer does not depend on what exists. For a get, all checks together take 40 ns of 13
 * µs.
 */
export function admit(grant: Grant, right: Right, request: AdmissionRequest): void {
  if (grant.rank === ranks['no limit']) return;
  const { origin } = request.headers;
  if (origin !== undefined && grant.origins?.has(origin) === false) {
    throw forbidden('wrong_origin', 'the key is not for web pages of this origin');
  }
  const waitSeconds = grant.rate === undefined ? 0 : grant.rate.take(request.startedMs);
  if (waitSeconds > 0) throw tooManyOfKey(waitSeconds);
  if (grant.rank < right.rank) {
    throw right.access === 'no limit'
      ? forbidden('limited_key', 'the key has limits')
      : forbidden('access_denied', `the operation needs ${right.access} access`);
  }
  requireTarget(grant, right, request.name);
  requireNames(grant, right, request);
}

function requireTarget({ bases, drives }: Grant, { target }: Right, name: string): void {
  switch (target) {
    case 'project':
      return;
    case 'base':
      if (bases.has(name)) return;
      break;
    case 'drive':
      if (drives.has(name)) return;
      break;
    default:
      if (bases.has(name) || drives.has(name)) return;
  }
  throw forbidden('beyond_scope', `the ${target} is beyond the scope of the key`);
}

function requireNames(grant: Grant, { names }: Right, { params, query }: AdmissionRequest): void {
  if (grant.prefix === '') return;
  if (names === 'whole') throw forbidden('prefixed_key', 'the key has a prefix');
  const name = names === 'path' ? params.key : names === 'query' ? query.get('name') : undefined;
  if (name !== undefined) requireWithin(grant, name);
}
