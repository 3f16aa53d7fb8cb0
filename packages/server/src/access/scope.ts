import type { ScanRange } from '../engines/item-store.js';
import { forbidden, type RequestError } from '../request-error.js';
import type { Grant } from './grant.js';
import { type KeyAccess, ranks } from './rights.js';

/** Whether the key of an item or the name of a file begins with the grant's prefix. */
export function isWithin({ prefix }: Grant, name: string): boolean {
  return prefix === '' || name.startsWith(prefix);
}

/** Throws a 403 `RequestError` unless the key of the item or the name of the file begins with the grant's prefix. */
export function requireWithin(grant: Grant, name: string): void {
  if (!isWithin(grant, name)) throw beyondPrefix();
}

/** The refusal of a key or name that does not begin with the prefix. */
export function beyondPrefix(): RequestError {
  return forbidden('beyond_prefix', 'keys of items and names of files must begin with the prefix of the key');
}

/** Throws a 403 `RequestError` unless the grant has this access: for operations whose body decides what they need. */
export function requireAccess({ rank }: Grant, access: KeyAccess): void {
  if (rank < ranks[access]) throw forbidden('access_denied', `the operation needs ${access} access`);
}

/**
 * The part of a range of keys that the grant's prefix allows. `before` is what the keys of the range begin with before
 * the names that the prefix is compared with.
 */
export function narrowedRange<Range extends ScanRange>({ prefix }: Grant, range: Range, before = ''): Range {
  if (prefix === '') return range;
  const allowed = before + prefix;
  const { prefix: asked = '' } = range;
  if (asked.startsWith(allowed)) return range;
  if (allowed.startsWith(asked)) return { ...range, prefix: allowed };
  return { ...range, prefix: allowed, lt: allowed };
}
