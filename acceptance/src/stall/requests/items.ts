import {
  denseList,
  denseObjects,
  escapedText,
  filled,
  largeItem,
  listed,
  longText,
  manyMembers,
  nested,
} from './bodies.js';
import { namesOfFewBuckets } from './equal-buckets.js';
import type { Count, HostileRequest } from './hostile-request.js';

export function writes(count: Count, bodyBytes: number): HostileRequest[] {
  const put = (name: string, body: () => string): HostileRequest => ({
    name,
    method: 'PUT',
    path: '/items',
    body,
  });
  const items =
    (value: (bytes: number) => string, separator = ',') =>
    () =>
      `{"items":[${Array.from({ length: 25 }, (_, n) => largeItem((bytes) => value(count(bytes)), `k${n}`)).join(separator)}]}`;
  const inOneItem = (value: string) => `{"items":[{"key":"k","a":${value}}]}`;
  return [
    put('25 items of 400 KiB of zeros', items(denseList)),
    put('25 items of 400 KiB of zeros, not canonical', items(denseList, ', ')),
    put('25 items of 400 KiB of small objects', items(denseObjects)),
    put('25 items of 400 KiB of small objects, not canonical', items(denseObjects, ', ')),
    put('25 items of many attributes', items(manyMembers)),
    put('5 items of names whose hashes share buckets', () => {
      const members = namesOfFewBuckets(count(36_000)).map((name) => `"${name}":1`);
      return `{"items":[${listed(5, (n) => `{"key":"k${n}",${members}}`)}]}`;
    }),
    put('25 items of many attributes, not canonical', items(manyMembers, ', ')),
    put('25 items nested 100 deep, not canonical', items(nested, ', ')),
    put('25 items of escapes, not canonical', items(escapedText, ', ')),
    put('25 items of escaped letters', () => {
      const item = (n: number) => `{"key":"k${n}","a":"${'\\u0061'.repeat(bodyBytes / 6 / 26)}"}`;
      return `{"items":[${listed(25, item)}]}`;
    }),
    put('digits of a number', () => inOneItem(`1${'7'.repeat(bodyBytes - 64)}`)),
    put('zeros after the point', () => inOneItem(`1.${'0'.repeat(bodyBytes - 64)}`)),
    put('an item of small objects', () => inOneItem(denseObjects(bodyBytes))),
    put('an item of zeros', () => inOneItem(denseList(bodyBytes))),
    put('an item of many attributes', () => inOneItem(manyMembers(bodyBytes))),
    put('millions of items', () => `{"items":[${filled(bodyBytes, '{}')}]}`),
    put(
      'millions of values beside the items',
      () => `{"x":[${filled(bodyBytes, '{"a":1}')}],"items":[{"key":"k"}]}`,
    ),
    put('one long text', () => inOneItem(longText(bodyBytes - 64))),
    put('one long text of escapes', () => inOneItem(escapedText(bodyBytes - 64))),
    put('white space', () => `{"items":${' '.repeat(bodyBytes - 64)}[{"key":"k"}]}`),
    put('lists that never end', () => '['.repeat(bodyBytes)),
    put('objects that never end', () => filled(bodyBytes, '{"a":').replaceAll(',', '')),
    {
      name: 'insert of millions of values',
      method: 'POST',
      path: '/items',
      body: () => `{"item":{"key":"new","a":${denseObjects(bodyBytes)}}}`,
    },
  ];
}
