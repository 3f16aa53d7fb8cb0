import { isUtf8 } from 'node:buffer';
import { backslash, comma, quote } from '../../json/characters.js';
import { declined, scanObject } from '../../json/scan.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { maxItemBytes, maxItemDepth, maxKeyBytes } from '../limits.js';
import { expiryAttribute, wholeSeconds } from './expiry.js';
import type { Item } from './item.js';
import { generateKey, keyProblem } from './key.js';

/**
 * Scans the bodies of Put Items and Insert Item, and the lines of an import, if they are canonical JSON and contain
 * only items. Most clients send such bodies. The bytes of each item are then stored as they are, without being parsed.
 * For a body that is written in another way, or that breaks a rule, the functions give undefined. Then `item-body.ts`
 * parses the body and decides. Both accept the same items.
 */

const putStart = Buffer.from('{"items":[');
const putEnd = Buffer.from(']}');
const insertStart = Buffer.from('{"item":');
const insertEnd = Buffer.from('}');
/** If the body has at most this many bytes, all of its items are scanned in one step. */
const smallBodyBytes = 64 * 1024;
const keyName = Buffer.from('"key"');
const expiryName = Buffer.from(JSON.stringify(expiryAttribute));

/** Scans the items of Put Items, one item per step. */
export function* scanPutBody(body: Buffer, maxItems: number): Steps<Item[] | undefined> {
  if (!startsWith(body, putStart, 0) || !isUtf8(body)) return undefined;
  const items: Item[] = [];
  const keys = new Set<string>();
  let at = putStart.length;
  for (;;) {
    if (body.length > smallBodyBytes) yield;
    const scanned = scanItem(body, at);
    if (scanned === undefined || items.length === maxItems) return undefined;
    items.push(scanned.item);
    keys.add(scanned.item.key);
    at = scanned.end;
    if (body[at] !== comma) break;
    at++;
  }
  const isWhole = at + putEnd.length === body.length && startsWith(body, putEnd, at);
  return isWhole && keys.size === items.length ? items : undefined;
}

/** Scans the item of Insert Item. */
export function scanInsertBody(body: Buffer): Item | undefined {
  if (!startsWith(body, insertStart, 0) || !isUtf8(body)) return undefined;
  const scanned = scanItem(body, insertStart.length);
  if (scanned === undefined) return undefined;
  const { item, end } = scanned;
  return end + insertEnd.length === body.length && startsWith(body, insertEnd, end) ? item : undefined;
}

/** Scans a line that contains only an item. */
export function scanLine(line: Buffer): Item | undefined {
  if (!isUtf8(line)) return undefined;
  const scanned = scanItem(line, 0);
  return scanned?.end === line.length ? scanned.item : undefined;
}

/** Where the values of an item's `key` and `__expires` are; 0: it has none. Here, so that no item needs a closure. */
let keyAt = 0;
let keyEnd = 0;
let expiryAt = 0;
let expiryEnd = 0;

function noteMember(
  body: Uint8Array,
  nameAt: number,
  nameEnd: number,
  valueAt: number,
  valueEnd: number,
): void {
  if (isName(body, nameAt, nameEnd, keyName)) {
    keyAt = valueAt;
    keyEnd = valueEnd;
  } else if (isName(body, nameAt, nameEnd, expiryName)) {
    expiryAt = valueAt;
    expiryEnd = valueEnd;
  }
}

function scanItem(body: Buffer, start: number): { item: Item; end: number } | undefined {
  keyAt = 0;
  expiryAt = 0;
  // The scan stops at the maximum size of an item: the rest of a large body may be one very long value.
  const isBounded = body.length - start <= maxItemBytes;
  const scanned = isBounded ? body : body.subarray(0, start + maxItemBytes);
  const end = scanObject(scanned, start, maxItemDepth, noteMember);
  if (end === declined) return undefined;
  const isKeyGenerated = keyAt === 0;
  const key = isKeyGenerated ? generateKey() : plainKey(body, keyAt, keyEnd);
  if (key === undefined) return undefined;
  const expiresAtSeconds = expiryAt === 0 ? undefined : numberOfSeconds(body, expiryAt, expiryEnd);
  if (expiryAt !== 0 && expiresAtSeconds === undefined) return undefined;
  // A view takes longer to make than a short item takes to scan.
  const sent = start === 0 && end === body.length ? body : body.subarray(start, end);
  const json = isKeyGenerated ? withKey(sent, key) : sent;
  return json.length > maxItemBytes
    ? undefined
    : { item: { key, isKeyGenerated, json, expiresAtSeconds }, end };
}

/** A key that breaks no rule, if its text has no escapes. */
function plainKey(body: Buffer, start: number, end: number): string | undefined {
  if (body[start] !== quote) return undefined;
  let bits = 0;
  for (let at = start + 1; at < end; at++) {
    const byte = body[at] as number;
    if (byte === backslash) return undefined;
    bits |= byte;
  }
  const key = body.toString('utf8', start + 1, end - 1);
  // ASCII without control characters can only be too short or too long.
  const isSurelyText = bits < 0x80 && key.length > 0 && key.length <= maxKeyBytes;
  return isSurelyText || keyProblem(key) === undefined ? key : undefined;
}

function numberOfSeconds(body: Buffer, start: number, end: number): number | undefined {
  const text = body.toString('latin1', start, end);
  return /^[-\d]/.test(text) ? wholeSeconds(text) : undefined;
}

function withKey(json: Buffer, key: string): Buffer {
  const isEmpty = json.length === 2;
  return Buffer.concat([Buffer.from(`{"key":"${key}"${isEmpty ? '' : ','}`), json.subarray(1)]);
}

function isName(body: Uint8Array, start: number, end: number, name: Buffer): boolean {
  return end - start === name.length && startsWith(body, name, start);
}

function startsWith(body: Uint8Array, text: Buffer, at: number): boolean {
  for (let n = 0; n < text.length; n++) if (body[at + n] !== text[n]) return false;
  return true;
}
