import { isUtf8 } from 'node:buffer';
import { declined, scanObject } from '../json/scan.js';
import { expiryAttribute, wholeSeconds } from './expiry.js';
import type { Item } from './item.js';
import { generateKey, keyProblem } from './key.js';
import { maxItemBytes, maxItemDepth } from './limits.js';

/**
 * Bodies as most clients write them: canonical JSON and nothing beside the items. Their items are stored as the
 * slices that they are. A body that is written otherwise, or breaks a rule, is declined (undefined), and the way
 * over `parseBody` decides: this one may only agree with it.
 */

const putStart = Buffer.from('{"items":[');
const putEnd = Buffer.from(']}');
const insertStart = Buffer.from('{"item":');
const insertEnd = Buffer.from('}');
const comma = 0x2c;
const backslash = 0x5c;
const keyName = Buffer.from('"key"');
const expiryName = Buffer.from(JSON.stringify(expiryAttribute));

export function fastPutBody(body: Buffer, maxItems: number): Item[] | undefined {
  if (!startsWith(body, putStart, 0) || !isUtf8(body)) return undefined;
  const items: Item[] = [];
  const keys = new Set<string>();
  let at = putStart.length;
  for (;;) {
    const scanned = scanItem(body, at);
    if (scanned === undefined) return undefined;
    items.push(scanned.item);
    keys.add(scanned.item.key);
    at = scanned.end;
    if (body[at] !== comma) break;
    at++;
  }
  const isWhole = at + putEnd.length === body.length && startsWith(body, putEnd, at);
  return isWhole && items.length <= maxItems && keys.size === items.length ? items : undefined;
}

export function fastInsertBody(body: Buffer): Item | undefined {
  if (!startsWith(body, insertStart, 0) || !isUtf8(body)) return undefined;
  const scanned = scanItem(body, insertStart.length);
  if (scanned === undefined) return undefined;
  const { item, end } = scanned;
  return end + insertEnd.length === body.length && startsWith(body, insertEnd, end) ? item : undefined;
}

function scanItem(body: Buffer, start: number): { item: Item; end: number } | undefined {
  let keyAt = 0;
  let keyEnd = 0;
  let expiryAt = 0;
  let expiryEnd = 0;
  const end = scanObject(body, start, maxItemDepth, (nameAt, nameEnd, valueAt, valueEnd) => {
    if (isName(body, nameAt, nameEnd, keyName)) {
      keyAt = valueAt;
      keyEnd = valueEnd;
    } else if (isName(body, nameAt, nameEnd, expiryName)) {
      expiryAt = valueAt;
      expiryEnd = valueEnd;
    }
  });
  if (end === declined || end - start > maxItemBytes) return undefined;
  const key = keyAt === 0 ? generateKey() : plainString(body, keyAt, keyEnd);
  if (key === undefined || keyProblem(key) !== undefined) return undefined;
  const expiresAtSeconds = expiryAt === 0 ? undefined : numberOfSeconds(body, expiryAt, expiryEnd);
  if (expiryAt !== 0 && expiresAtSeconds === undefined) return undefined;
  const sent = body.subarray(start, end);
  const json = keyAt === 0 ? withKey(sent, key) : sent;
  return json.length > maxItemBytes ? undefined : { item: { key, json, expiresAtSeconds }, end };
}

function plainString(body: Buffer, start: number, end: number): string | undefined {
  if (body[start] !== keyName[0]) return undefined;
  for (let at = start + 1; at < end; at++) if (body[at] === backslash) return undefined;
  return body.toString('utf8', start + 1, end - 1);
}

function numberOfSeconds(body: Buffer, start: number, end: number): number | undefined {
  const text = body.toString('latin1', start, end);
  return /^[-\d]/.test(text) ? wholeSeconds(text) : undefined;
}

function withKey(json: Buffer, key: string): Buffer {
  const isEmpty = json.length === 2;
  return Buffer.concat([Buffer.from(`{"key":"${key}"${isEmpty ? '' : ','}`), json.subarray(1)]);
}

function isName(body: Buffer, start: number, end: number, name: Buffer): boolean {
  return end - start === name.length && startsWith(body, name, start);
}

function startsWith(body: Buffer, text: Buffer, at: number): boolean {
  for (let n = 0; n < text.length; n++) if (body[at + n] !== text[n]) return false;
  return true;
}
