import { indent, writeObject } from '../exact/print.js';
import { type Attribute, readAttributes } from '../exact/scan.js';
import { blanks } from './edit/text.js';
import type { Rows } from './listing/rows.js';
import { type Column, expiresName } from './view/columns.js';
import type { Row } from './view/row.js';

/** Attributes that a new item begins with. */
const maxAttributes = 12;
const emptyKey: Attribute = ['key', '""'];

/** Items that are looked at. */
const maxSample = 1000;

/** The text that a new item begins with: the attributes that most of the items have, each with a blank value. */
export function templateOf(columns: readonly Column[], rows: Pick<Rows, 'sample'>): string {
  const items = rows.sample(maxSample);
  const isUsual = (name: string) =>
    items.filter(({ attributes: all }) => all.has(name)).length * 2 > items.length;
  const attributes = columns
    .filter(({ name, kind }) => name !== 'key' && name !== expiresName && kind !== 'null')
    .filter(({ name }) => isUsual(name))
    .slice(0, maxAttributes)
    .map(({ name, kind }): Attribute => [name, blanks[kind]]);
  return indent(writeObject([emptyKey, ...attributes]));
}

/**
 * The text of a new item without a key that is empty: the service gives it a random one. It knows nothing of a prefix with
 * which the keys must begin, so with one the random key is made here.
 */
export function withoutEmptyKey(text: string, prefix: string): string {
  const kept = readAttributes(text).filter(([name, json]) => name !== 'key' || json !== '""');
  const hasKey = prefix === '' || kept.some(([name]) => name === 'key');
  return writeObject(hasKey ? kept : [['key', JSON.stringify(prefix + randomPart())], ...kept]);
}

/** As much as the service takes for a random key: 12 of 36 signs, which are 62 bits. */
function randomPart(): string {
  const signs = '0123456789abcdefghijklmnopqrstuvwxyz';
  // 252 is a multiple of 36: a greater byte would favour some signs.
  const bytes = [...crypto.getRandomValues(new Uint8Array(64))].filter((byte) => byte < 252);
  return Array.from(bytes.slice(0, 12), (byte) => signs[byte % 36]).join('');
}

/** The text of an item without its key, for a copy of it. */
export function copyOf({ attributes }: Row): string {
  const others = [...attributes].filter(([name]) => name !== 'key');
  return indent(writeObject([emptyKey, ...others]));
}
