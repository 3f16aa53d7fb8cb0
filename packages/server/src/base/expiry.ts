import { JsonNumber, type JsonValue } from '../json/value.js';
import { locateMember } from './locate.js';

export const expiryAttribute = '__expires';

const marker = `"${expiryAttribute}":`;
const markerBytes = Buffer.from(marker);

/** "whole seconds since 1970 UTC, a number (else 400)": the seconds, or undefined when the value is none. */
export function readExpiry(value: JsonValue): number | undefined {
  return value instanceof JsonNumber ? wholeSeconds(value.text) : undefined;
}

export function wholeSeconds(text: string): number | undefined {
  const seconds = Number(text);
  return Number.isInteger(seconds) ? seconds : undefined;
}

/** When a stored item expires, or undefined. Most items do not: one native search tells. */
function expiresAtSeconds(json: string): number | undefined {
  if (!json.includes(marker)) return undefined;
  const value = locateMember(json, 0, expiryAttribute);
  return value === undefined ? undefined : wholeSeconds(json.slice(value.start, value.end));
}

/** "From that second on the item is gone for every operation" */
export function isExpired(json: string, nowSeconds: number): boolean {
  const seconds = expiresAtSeconds(json);
  return seconds !== undefined && seconds <= nowSeconds;
}

/** The same of an item as its row holds it. */
export function isRowExpired(row: Buffer, nowSeconds: number): boolean {
  return row.includes(markerBytes) && isExpired(row.toString(), nowSeconds);
}
