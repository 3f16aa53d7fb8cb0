import type { Limits } from '../../access/grant.js';
import { keyAccesses } from '../../access/rights.js';
import type { KeyRow } from '../key-row.js';

/** What a signed key says of itself (docs/http.md#signed-keys). */
export interface SignedPayload extends Pick<KeyRow, 'name' | 'createdSeconds'> {
  readonly id: string;
  readonly limits: Limits;
}

/**
 * Reads a payload whose signature is right; undefined if it is none. Whoever knows a key without limits, or has a copy of
 * the rows, can sign anything. No such key has more than full access: it must not make keys that stay (docs/security.md).
 */
export function readSignedPayload(text: string): SignedPayload | undefined {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(payload) && isPayload(payload) ? payload : undefined;
}

function isPayload(payload: Members): payload is Members & SignedPayload {
  const { id, name, limits, createdSeconds } = payload;
  return (
    typeof id === 'string' &&
    /^[\w-]{1,64}$/.test(id) &&
    isAbsentOr(name, isText) &&
    Number.isSafeInteger(createdSeconds) &&
    isObject(limits) &&
    areLimits(limits)
  );
}

function areLimits({ access, expiresAtSeconds, requestsPerSecond, prefix, ...lists }: Members): boolean {
  return (
    keyAccesses.some((known) => known === access) &&
    isAbsentOr(expiresAtSeconds, Number.isSafeInteger) &&
    isAbsentOr(requestsPerSecond, (rate) => typeof rate === 'number' && rate > 0) &&
    isAbsentOr(prefix, isText) &&
    [lists.bases, lists.drives, lists.origins].every((list) => isAbsentOr(list, isListOfTexts))
  );
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isAbsentOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
