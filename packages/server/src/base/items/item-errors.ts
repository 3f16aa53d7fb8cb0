import type { Grant } from '../../access/grant.js';
import { beyondPrefix, isWithin } from '../../access/scope.js';
import { type RequestError, refused } from '../../request-error.js';
import type { Item } from './item.js';

export function itemExists(): RequestError {
  return refused('item_exists', 'Key already exists');
}

export function itemNotFound(): RequestError {
  return refused('item_not_found', 'Key not found');
}

/** The item is not as a condition demands (docs/http.md#conditional-updates). */
export function itemDiffers(): RequestError {
  return refused('condition_failed', 'The item does not match the condition');
}

type Keyed = Pick<Item, 'key' | 'isKeyGenerated'>;

/**
 * Throws the 403 `RequestError` of an item that a key of this grant may not store. A generated key counts as beyond
 * every prefix, also if its first characters happen to be those of a short one: what is refused must not depend on
 * chance (docs/http.md#what-each-key-may-do).
 */
export function requireItemWithin(grant: Grant, { key, isKeyGenerated }: Keyed): void {
  const isAllowed = isKeyGenerated ? grant.prefix === '' : isWithin(grant, key);
  if (!isAllowed) throw beyondPrefix();
}
