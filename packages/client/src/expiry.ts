import { invalid } from './error.js';
import type { Expiry } from './item.js';

/** The attribute that an expiry is on the wire: whole seconds since 1970 UTC. */
export function expiryAttribute({ expireIn, expireAt }: Expiry): { __expires?: number } {
  if (expireIn != null && expireAt != null) throw invalid("can't set both expireIn and expireAt options");
  if (expireIn != null) {
    if (!Number.isFinite(expireIn)) throw invalid('option expireIn should have a value of type number');
    return { __expires: Math.floor(Date.now() / 1000 + expireIn) };
  }
  if (expireAt == null) return {};
  const seconds = expireAt instanceof Date ? Math.floor(expireAt.getTime() / 1000) : expireAt;
  if (!Number.isFinite(seconds)) throw invalid('option expireAt should have a value of type number or Date');
  return { __expires: seconds };
}
