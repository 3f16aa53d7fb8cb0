import { denseList, denseObjects, largeItem, listed, manyMembers } from './bodies.js';
import type { Count, HostileRequest } from './hostile-request.js';

export function updates(count: Count, bodyBytes: number): HostileRequest[] {
  const update = (name: string, body: () => string, items: () => readonly string[]): HostileRequest => ({
    name,
    method: 'PATCH',
    path: '/items/k',
    body,
    items,
  });
  const small = () => ['{"key":"k","n":1}'];
  const deep = (n: number) => `"p${n}${'.a'.repeat(99)}"`;
  return [
    update('an update of paths of 100 segments', () => `{"delete":[${listed(count(75_000), deep)}]}`, small),
    update(
      'an update of a thousand paths of 100 segments',
      () => `{"delete":[${listed(count(1000), deep)}]}`,
      small,
    ),
    update(
      'an update of one path of millions of segments',
      () => `{"delete":["a${'.a'.repeat(bodyBytes / 2 - 64)}"]}`,
      small,
    ),
    update(
      'an update of many short paths',
      () => `{"delete":[${listed(count(1_000_000), (n) => `"${n}"`)}]}`,
      small,
    ),
    update(
      'one attribute of a dense item',
      () => '{"set":{"b":1}}',
      () => [largeItem(denseList)],
    ),
    update(
      'one attribute of an item of small objects',
      () => '{"set":{"b":1}}',
      () => [largeItem(denseObjects)],
    ),
    update(
      'one attribute of an item of many',
      () => '{"set":{"b":1}}',
      () => [largeItem(manyMembers)],
    ),
    update(
      'increments of ten thousand elements',
      () => `{"increment":{${listed(count(10_000), (n) => `"a.${n}":1`)}}}`,
      () => [largeItem(denseList)],
    ),
    update(
      'an append to a long list',
      () => `{"append":{"a":${denseList(count(180_000))}}}`,
      () => [largeItem((bytes) => denseList(bytes / 2))],
    ),
    update('a set of millions of values', () => `{"set":{"a":${denseObjects(bodyBytes)}}}`, small),
  ];
}
