import { invalid } from '../http/error.js';

/** When an item or a file expires. At most one of the two may be given. */
export interface Expiry {
  /** Seconds from when the service stores it, by the clock of the service. A part of a second counts as one. */
  readonly expireIn?: number | undefined;
  /** A date, or whole seconds since 1970 UTC. */
  readonly expireAt?: Date | number | undefined;
}

/** When something expires, as a request says it: it has one of the two, or neither. */
export interface RequestExpiry {
  /** Whole seconds since 1970 UTC: an attribute of an item (docs/http.md#expiry). */
  readonly __expires?: number;
  /** Whole seconds from now on, by the clock of the service: a member of the request (docs/http.md#expires_in). */
  readonly expires_in?: number;
}

/**
 * How a request says when something expires. The clock of this machine may be wrong, so only the service makes a time of a
 * number of seconds. Throws code `invalid` if both are given, or one that is no time.
 */
export function expiryOf({ expireIn, expireAt }: Expiry): RequestExpiry {
  if (expireIn != null && expireAt != null) throw invalid("can't set both expireIn and expireAt options");
  if (expireIn != null) {
    if (!Number.isFinite(expireIn)) throw invalid('option expireIn should have a value of type number');
    return { expires_in: Math.max(0, Math.ceil(expireIn)) };
  }
  if (expireAt == null) return {};
  const seconds = expireAt instanceof Date ? Math.floor(expireAt.getTime() / 1000) : expireAt;
  if (!Number.isFinite(seconds)) throw invalid('option expireAt should have a value of type number or Date');
  return { __expires: seconds };
}
