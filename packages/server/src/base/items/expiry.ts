import type { TextRow } from '../../engines/item-store.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';
import { missing, PathTree, skipValue } from './path-tree.js';

export const expiryAttribute = '__expires';

const marker = `"${expiryAttribute}":`;
const markerBytes = Buffer.from(marker);
/** The place of the first byte in the marker that few texts have. */
const rareAt = marker.indexOf('_');
const rareByte = markerBytes[rareAt] as number;

const expiryPath = new PathTree([expiryAttribute]);

/** Gives the value as whole seconds since 1970 UTC, or undefined if it is not such a number (docs/http.md#expiry). */
export function readExpiry(value: JsonValue): number | undefined {
  return value instanceof JsonNumber ? wholeSeconds(value.text) : undefined;
}

export function wholeSeconds(text: string): number | undefined {
  const seconds = Number(text);
  return Number.isInteger(seconds) ? seconds : undefined;
}

/**
 * When a stored item expires, in whole seconds since 1970 UTC, or undefined. Most items do not expire; for these, one
 * native search is enough.
 */
function expiresAtSeconds(json: string): number | undefined {
  if (!json.includes(marker)) return undefined;
  const start = expiryPath.locate(json)[0] ?? missing;
  return start === missing ? undefined : wholeSeconds(json.slice(start, skipValue(json, start)));
}

/**
 * Stored JSON of an item with this `__expires`: in the place of the one that it has, or else at its end
 * (docs/http.md#expires_in).
 */
export function withExpiry(row: Buffer, seconds: number): Buffer {
  const json = hasExpiryMarker(row) ? row.toString() : '';
  const start = json === '' ? missing : (expiryPath.locate(json)[0] ?? missing);
  // An item has a key, so it is not empty.
  if (start === missing) return Buffer.concat([row.subarray(0, -1), Buffer.from(`,${marker}${seconds}}`)]);
  return Buffer.from(`${json.slice(0, start)}${seconds}${json.slice(skipValue(json, start))}`);
}

/** Whether the item has expired. From the second of its expiry on, no operation finds it (docs/http.md#expiry). */
function isExpired(json: string, nowSeconds: number): boolean {
  const seconds = expiresAtSeconds(json);
  return seconds !== undefined && seconds <= nowSeconds;
}

/** Like `isExpired`, for a row that a scan gives: most rows have no due time, so no item that expires. */
export function isTextRowExpired(
  { text, mayBeDue = true }: Pick<TextRow, 'text' | 'mayBeDue'>,
  nowSeconds: number,
): boolean {
  return mayBeDue && isExpired(text, nowSeconds);
}

/** Like `isExpired`, for the bytes of the item's row. */
export function isRowExpired(row: Buffer, nowSeconds: number): boolean {
  return hasExpiryMarker(row) && isExpired(row.toString(), nowSeconds);
}

/**
 * Whether an item has `__expires`, or a name that ends so, anywhere in it. To search 300 bytes for one byte takes 0.1 µs, for
 * several bytes 0.4. Each read of an item searches.
 */
export function hasExpiryMarker(row: Buffer): boolean {
  const found = row.indexOf(rareByte);
  return found !== -1 && row.includes(markerBytes, Math.max(0, found - rareAt));
}
