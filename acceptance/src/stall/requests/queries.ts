import {
  denseList,
  denseObjects,
  escapedText,
  filled,
  largeItem,
  listed,
  longText,
  manyMembers,
  maxItemBytes,
} from './bodies.js';
import type { Count, HostileRequest } from './hostile-request.js';

const text = () => [largeItem(longText), largeItem(longText, 'k2')];
const escaped = () => [largeItem(escapedText), largeItem(escapedText, 'k2')];
const members = () => [largeItem(manyMembers), largeItem(manyMembers, 'k2')];
const list = () => [largeItem(denseList), largeItem(denseList, 'k2')];
const texts = () => [largeItem((bytes) => `[${filled(bytes, '"ab"')}]`)];
const rows = () => Array.from({ length: 2000 }, (_, n) => `{"key":"k${n}","n":${n}}`);
const records = () => [largeItem((bytes) => `[${filled(bytes, '{"sku":"x"}')}]`)];
/** Numbers that no float tells from each other. */
const decimals = () => [largeItem((bytes) => `[${filled(bytes, '1.00000000000000010')}]`)];

/** A request with this body. */
function whole(name: string, body: () => string, items: () => readonly string[]): HostileRequest {
  return { name, method: 'POST', path: '/query', body, items };
}

/** A request whose body has this `query` and nothing else. */
function query(name: string, value: () => string, items: () => readonly string[]): HostileRequest {
  return whole(name, () => `{"query":${value()}}`, items);
}

type Ored = (conditions: number, make: (n: number) => string) => string;

/** Bodies of Query Items. */
export function queries(count: Count, bodyBytes: number): HostileRequest[] {
  const ored: Ored = (conditions, make) => `[${listed(count(conditions), (n) => `{${make(n)}}`)}]`;
  return [
    ...manyConditions(count, ored),
    ...ordersAndSelections(count, bodyBytes),
    ...membership(count, ored),
    ...partsOfTexts(count, bodyBytes, ored),
    ...largeOperands(count, bodyBytes),
  ];
}

function manyConditions(count: Count, ored: Ored): HostileRequest[] {
  return [
    query('10,000 conditions', () => ored(10_000, (n) => `"a":${n}`), text),
    query('100,000 conditions', () => ored(100_000, (n) => `"a":${n}`), text),
    query('1000 paths', () => ored(1000, (n) => `"a.x${n}":1`), members),
    query('1000 deep paths', () => ored(1000, (n) => `"a.${n}${'.a'.repeat(98)}":1`), members),
    query('1000 elements of a list', () => ored(1000, (n) => `"a.${190_000 + n}":1`), list),
    query('1000 conditions, many small items', () => ored(1000, (n) => `"n":-${n}`), rows),
    query(
      '1000 ?contains of 20 letters',
      () => ored(1000, (n) => `"a?contains":"${'a'.repeat(20)}${n}"`),
      text,
    ),
    query('1000 ?contains in escaped text', () => ored(1000, (n) => `"a?contains":"\\n${n}"`), escaped),
    query('1000 ?contains in a list', () => ored(1000, (n) => `"a?contains":"${n}"`), texts),
    query('1000 ANDed elements of a list', () => `{${listed(count(1000), (n) => `"a.${n}?ne":1`)}}`, list),
  ];
}

function ordersAndSelections(count: Count, bodyBytes: number): HostileRequest[] {
  return [
    whole('an order of long texts', () => '{"order":["a"],"count":true}', text),
    whole('an order of many items', () => '{"order":["-n","x"],"offset":1000}', rows),
    whole(
      'a select of 100,000 paths',
      () => `{"select":[${listed(count(100_000), (n) => `"a${n}"`)}]}`,
      rows,
    ),
    whole(
      'a select of 1000 deep paths',
      () => `{"select":[${listed(count(1000), (n) => `"a.${n}${'.a'.repeat(98)}"`)}]}`,
      members,
    ),
    whole('a select of elements', () => `{"select":[${listed(count(1000), (n) => `"a.${190 * n}"`)}]}`, list),
    whole('a long last', () => `{"order":["a"],"last":"${'W1tb'.repeat(bodyBytes / 4 - 64)}"}`, rows),
  ];
}

/** Bodies with `?in` and `?has`. */
function membership(count: Count, ored: Ored): HostileRequest[] {
  const manyOf = (most: number, value: string) => () =>
    Array.from({ length: count(most) }, (_, n) => `{"key":"k${n}","a":${value}}`);
  const zeros = manyOf(150, `[${filled(410, '0')}]`);
  return [
    query(
      '1000 ?in of 100 values',
      () => ored(1000, (n) => `"n?in":[${listed(100, (m) => `-${n + m}`)}]`),
      rows,
    ),
    query('a ?in of a million', () => `{"n?in":[${listed(count(1_000_000), (n) => `${n}`)}]}`, rows),
    query('100 ?has in a dense list', () => ored(100, (n) => `"a?has":${n + 1}.5`), list),
    query('1000 ?has in a list of texts', () => ored(1000, (n) => `"a?has":"${n}"`), texts),
    query(
      'a ?has of an object with a long text',
      () => `{"a?has":{"sku":"${'y'.repeat(count(400_000))}"}}`,
      records,
    ),
    query('a ?has of a number as good as equal', () => '{"a?has":1}', decimals),
    query(
      'equal to a list of numbers, other spelling',
      () => `{"a":[${filled(maxItemBytes - 64, '1.0000000000000001e0')}]}`,
      decimals,
    ),
    query(
      '20 ?has in lists of 15 KB',
      () => ored(20, (n) => `"a?has":{"sku":${n}}`),
      manyOf(64, `[${filled(15_000, '{"sku":"x"}')}]`),
    ),
    query(
      'a ?in of 1000 lists of zeros',
      () => `{"a?in":[${listed(count(1000), () => `[${filled(407, '0')}]`)}]}`,
      zeros,
    ),
    query(
      'a ?in of 1000 lists of a long text',
      () => `{"a?in":[${listed(count(1000), (n) => `["${'a'.repeat(16_000)}${n}"]`)}]}`,
      manyOf(60, `["${'a'.repeat(16_000)}"]`),
    ),
  ];
}

function partsOfTexts(count: Count, bodyBytes: number, ored: Ored): HostileRequest[] {
  const contains = (length: number) => `"a?contains":"${'a'.repeat(100)}b${'a'.repeat(length)}"`;
  return [
    query(
      '16 ?icontains of letters of two units',
      () => `{${listed(16, (n) => `"p${n}?icontains":"${'𐐀'.repeat(count(204_800))}"`)}}`,
      rows,
    ),
    query('a long prefix of the key', () => `{"key?pfx":"${'a'.repeat(count(400_000))}"}`, rows),
    query('?icontains of 20 KB', () => `{${contains(count(20_000)).replace('?', '?i')}}`, text),
    query(
      '1000 ?icontains in text that is not ASCII',
      () => ored(1000, (n) => `"a?icontains":"Ä${n}"`),
      () => [largeItem((bytes) => `"${'äİ'.repeat(bytes / 4)}"`)],
    ),
    query('?contains of 20 KB', () => `{${contains(count(20_000))}}`, text),
    query('?contains of 200 KB', () => `{${contains(count(200_000))}}`, text),
    query('?contains of 16 MiB', () => `{${contains(bodyBytes - 200)}}`, text),
  ];
}

function largeOperands(count: Count, bodyBytes: number): HostileRequest[] {
  return [
    query('equal to a dense list', () => `{"a":${denseList(maxItemBytes - 64).replace(/0\]$/, '1]')}}`, list),
    query(
      'equal to a dense list, other spelling',
      () => `{"a":${denseList(maxItemBytes - 64).replaceAll('0', '0.0')}}`,
      list,
    ),
    query('equal to many attributes', () => `{"a":${manyMembers(maxItemBytes - 64)}}`, members),
    query('equal to millions of values', () => `{"a":${denseObjects(bodyBytes - 64)}}`, list),
    query('a long number', () => `{"a?gt":1.${'0'.repeat(bodyBytes - 64)}}`, rows),
    query('a path of millions of segments', () => `{"a${'.a'.repeat(bodyBytes / 2 - 64)}":1}`, rows),
    query('objects without conditions', () => `[${filled(bodyBytes, '{}')}]`, rows),
    query(
      'large conditions on the key',
      () => {
        const operand = `["a",${denseList(count(60_000))}]`;
        return `[${listed(count(100), () => `{"key?r":${operand}}`)}]`;
      },
      rows,
    ),
  ];
}
