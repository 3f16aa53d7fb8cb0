import type { AcceptedKey } from './accepted-keys.js';

const slots = 1024;

interface Recent {
  readonly apiKey: string;
  readonly accepted: AcceptedKey;
}

/**
 * Keys that were found valid recently, so that a key is not hashed for every request (0.9 µs). The table is bounded: a
 * key has one slot in it, and a newer key replaces the one in its slot.
 */
export function createRecentlyAccepted() {
  const table = new Array<Recent | undefined>(slots).fill(undefined);
  return {
    /** A key of the table, or undefined. The time that it takes does not reveal how much of a guess is right. */
    find(apiKey: string) {
      const recent = table[slotOf(apiKey)];
      return recent !== undefined && isSame(recent.apiKey, apiKey) ? recent.accepted : undefined;
    },
    add(apiKey: string, accepted: AcceptedKey) {
      table[slotOf(apiKey)] = { apiKey, accepted };
    },
  };
}

function slotOf(apiKey: string): number {
  let sum = apiKey.length;
  for (let at = 0; at < apiKey.length; at++) sum = (Math.imul(sum, 31) + apiKey.charCodeAt(at)) | 0;
  return sum & (slots - 1);
}

/** Compares all characters, wherever the first difference is. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
