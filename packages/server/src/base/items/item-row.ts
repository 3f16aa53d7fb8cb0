import { maxDueSeconds, type Put } from '../../engines/item-store.js';
import type { Item } from './item.js';

/**
 * Gives the item's row, due at the second of its expiry. A row has no due time if that second is too large for an
 * engine.
 */
export function rowOf(item: Item): Put {
  const { key, json: value, expiresAtSeconds } = item;
  return expiresAtSeconds === undefined || expiresAtSeconds > maxDueSeconds
    ? { key, value }
    : { key, value, dueSeconds: Math.max(0, expiresAtSeconds) };
}
