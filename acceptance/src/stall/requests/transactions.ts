import {
  denseList,
  denseObjects,
  filled,
  largeItem,
  listed,
  longText,
  manyMembers,
  maxItemBytes,
} from './bodies.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';
import { built } from './indexes.js';

export function transactions(count: Count, bodyBytes: number): HostileRequest[] {
  const transaction = (
    name: string,
    operations: () => string,
    items: () => readonly string[] = () => [],
  ): HostileRequest => ({
    name,
    method: 'POST',
    path: '/transactions',
    body: () => `{"operations":[${operations()}]}`,
    items,
  });
  const onEach = (most: number, make: (key: string) => string) => () =>
    listed(count(most), (n) => make(`"key":"k${n}"`));
  const itemsOf = (most: number, value: (bytes: number) => string) => () =>
    Array.from({ length: count(most) }, (_, n) => largeItem(value, `k${n}`));
  const update = (key: string) => `{"update":{${key},"if":{"b":null},"set":{"b":1}}}`;
  const contains = (n: number) => `{"a?contains":"${'a'.repeat(20)}${n}"}`;
  const manyLists = `{"a?in":[${listed(count(1000), () => `[${filled(407, '0')}]`)}]}`;
  const longRecord = `{"a?has":{"sku":"${'y'.repeat(count(400_000))}"}}`;
  const twoUnits = (n: number) => `{"p${n}?icontains":"${'𐐀'.repeat(count(204_800))}"}`;
  return [
    transaction('100 updates of items of 400 KiB', onEach(100, update), itemsOf(100, longText)),
    {
      ...transaction(
        '100 puts over items of 400 KiB, with an index',
        onEach(100, (key) => `{"put":{${key}}}`),
        itemsOf(100, longText),
      ),
      prepare: async ({ base }: Place) => {
        await must(202, base.sendText('PUT', '/indexes/i', '{"fields":["n"]}'));
        await built({ base });
      },
    },
    transaction('40 updates of items of zeros', onEach(40, update), itemsOf(40, denseList)),
    transaction('40 updates of items of small objects', onEach(40, update), itemsOf(40, denseObjects)),
    transaction('40 updates of items of many attributes', onEach(40, update), itemsOf(40, manyMembers)),
    transaction(
      '100 updates of one item of many attributes',
      () => listed(count(100), (n) => `{"update":{"key":"k0","set":{"b":${n}}}}`),
      itemsOf(1, manyMembers),
    ),
    transaction(
      '1000 ?contains in 40 items',
      onEach(40, (key) => `{"check":{${key},"if":[${listed(24, contains)},{"b":null}]}}`),
      itemsOf(40, longText),
    ),
    transaction(
      '1000 ?contains in one item, and 99 updates of it',
      () =>
        `{"check":{"key":"k0","if":[${listed(999, contains)},{"b":null}]}},${listed(count(99), (n) => `{"update":{"key":"k0","set":{"b":${n}}}}`)}`,
      itemsOf(1, longText),
    ),
    transaction(
      'a ?in of 1000 lists of zeros in one item',
      () => `{"check":{"key":"k0","if":[${manyLists},{"b":null}]}}`,
      () => [`{"key":"k0","a":[${filled(410, '0')}]}`],
    ),
    transaction(
      'a ?has of an object with a long text in 30 items',
      onEach(30, (key) => `{"check":{${key},"if":[${longRecord},{"b":null}]}}`),
      itemsOf(30, (bytes) => `[${filled(bytes, '{"sku":"x"}')}]`),
    ),
    transaction(
      '16 ?icontains of letters of two units in one item',
      () => `{"check":{"key":"k0","if":[${listed(16, twoUnits)},{"b":null}]}}`,
      () => ['{"key":"k0","p0":"a"}'],
    ),
    transaction('an update of millions of values', () =>
      listed(2, () => `{"update":{"key":"k0","set":{"a":${denseObjects(bodyBytes / 2)}}}}`),
    ),
    transaction('updates of many values each', () =>
      listed(100, (n) => `{"update":{"key":"k${n}","set":{"a":${denseList(bodyBytes / 110)}}}}`),
    ),
    transaction('checks of dense operands', () =>
      listed(100, (n) => `{"check":{"key":"k${n}","if":{"a":${denseList(bodyBytes / 110)}}}}`),
    ),
    transaction(
      '40 puts of items of zeros',
      onEach(40, (key) => `{"put":{${key},"a":${denseList(maxItemBytes - 64)}}}`),
    ),
    transaction('millions of operations', () => filled(bodyBytes, '{}')),
    transaction('an item of millions of members', () => `{"put":${manyMembers(bodyBytes * 0.9)}}`),
  ];
}
