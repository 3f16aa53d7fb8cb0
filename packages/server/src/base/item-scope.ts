import type { Grant } from '../access/grant.js';
import { beyondPrefix, isWithin } from '../access/scope.js';
import type { RequestError } from '../request-error.js';
import type { Item } from './item.js';

type Keyed = Pick<Item, 'key' | 'isKeyGenerated'>;

/**
 * Why a key of this grant may not store the item, or undefined. A generated key counts as beyond every prefix, also if
 * its first characters happen to be those of a short one: what is refused must not depend on chance
 * (docs/http.md#what-each-key-may-do).
 */
export function itemRefusal(grant: Grant, { key, isKeyGenerated }: Keyed): RequestError | undefined {
  const isAllowed = isKeyGenerated ? grant.prefix === '' : isWithin(grant, key);
  return isAllowed ? undefined : beyondPrefix();
}

/** Throws the same as a 403 `RequestError`. */
export function requireItemWithin(grant: Grant, item: Keyed): void {
  const refusal = itemRefusal(grant, item);
  if (refusal !== undefined) throw refusal;
}
