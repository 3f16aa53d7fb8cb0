import { denseList, denseObjects, filled, largeItem, listed, longText, manyMembers } from './bodies.js';
import type { Count, HostileRequest } from './hostile-request.js';

/** Bodies of Count Items, Aggregate, Update By Query and Delete By Query. */
export function sets(count: Count, bodyBytes: number): HostileRequest[] {
  const set = (
    operation: 'count' | 'aggregate' | 'update' | 'delete',
    name: string,
    body: () => string,
    items: () => readonly string[],
  ): HostileRequest => ({
    name: `query/${operation}: ${name}`,
    method: 'POST',
    path: `/query/${operation}`,
    body,
    items,
  });
  const of = (most: number, value: (bytes: number) => string) => () =>
    Array.from({ length: count(most) }, (_, n) => largeItem(value, `k${n}`));
  const rows = () => Array.from({ length: count(5000) }, (_, n) => `{"key":"k${n}","n":${n}}`);
  const few = () => Array.from({ length: count(50) }, (_, n) => `{"key":"k${n}","n":${n},"a":[]}`);
  const assigned = (most: number, path: (n: number) => string) =>
    `{${listed(count(most), (n) => `"${path(n)}":${n}`)}}`;
  const deep = (n: number) => `p${n}${'.a'.repeat(99)}`;
  const ored = (make: (n: number) => string) => `[${listed(count(1000), (n) => `{${make(n)}}`)}]`;
  return [
    set(
      'update',
      '10,000 paths in 50 items',
      () => `{"all":true,"set":${assigned(10_000, (n) => `p${n}`)}}`,
      few,
    ),
    set('update', '100,000 paths', () => `{"all":true,"set":${assigned(100_000, (n) => `p${n}`)}}`, few),
    set(
      'update',
      '10,000 paths of 50 items, the last of which fails',
      () => `{"all":true,"set":${assigned(9999, (n) => `p${n}`)},"increment":{"a":1}}`,
      few,
    ),
    set(
      'update',
      '1000 deep paths to delete in many items',
      () => `{"all":true,"delete":[${listed(count(1000), (n) => `"${deep(n)}"`)}]}`,
      rows,
    ),
    set('update', 'many items', () => '{"all":true,"increment":{"n":1}}', rows),
    set('update', 'many items that refuse it', () => '{"all":true,"append":{"n":[1]}}', rows),
    set(
      'update',
      'a large value for many items',
      () => `{"all":true,"set":{"a":${denseList(count(200_000))}}}`,
      () => rows().slice(0, count(100)),
    ),
    set(
      'update',
      'a list appended to long lists',
      () => `{"all":true,"append":{"a":${denseList(count(180_000))}}}`,
      of(10, (bytes) => denseList(bytes / 2)),
    ),
    set('update', '10 items of many attributes', () => '{"all":true,"set":{"b":1}}', of(10, manyMembers)),
    set('update', '20 items of zeros', () => '{"all":true,"set":{"b":1}}', of(20, denseList)),
    set('update', 'millions of values', () => `{"all":true,"set":{"a":${denseObjects(bodyBytes)}}}`, few),
    set(
      'update',
      'many items, 1000 conditions',
      () => `{"query":${ored((n) => `"n?ne":-${n}`)},"set":{"b":1}}`,
      rows,
    ),
    set('delete', 'many items', () => '{"all":true}', rows),
    set('delete', 'many items, one by one', () => '{"query":{"n?gte":0},"limit":1}', rows),
    set('delete', '20 items of 400 KiB', () => '{"all":true}', of(20, longText)),
    set(
      'delete',
      '1000 conditions that nothing matches',
      () => `{"query":${ored((n) => `"n":-${n + 1}`)}}`,
      rows,
    ),
    set('delete', 'a dry run of it', () => `{"query":${ored((n) => `"n":-${n + 1}`)},"dry_run":true}`, rows),
    set('delete', 'an absurd limit', () => `{"all":true,"limit":1${'0'.repeat(900)}}`, rows),
    set('delete', 'objects without conditions', () => `{"query":[${filled(bodyBytes, '{}')}]}`, rows),
    set(
      'update',
      '100 of many items in an order, with their items',
      () => '{"all":true,"increment":{"n":1},"order":["-n"],"limit":100,"return":"new"}',
      rows,
    ),
    set(
      'aggregate',
      'a group of each item',
      () =>
        '{"group":["n","key"],"aggregates":{"a":{"sum":"n"},"b":{"avg":"n"},"c":{"distinct":"key"}},"order":["-a"]}',
      rows,
    ),
    set(
      'aggregate',
      'different values of 20 items of 400 KiB',
      () => '{"group":["a"],"aggregates":{"a1":{"distinct":"a"},"a2":{"max":"a"}}}',
      of(20, denseList),
    ),
    set(
      'aggregate',
      'long text as groups',
      () => '{"group":["a"],"aggregates":{"b":{"max":"a"},"c":{"min":"a"}}}',
      of(20, longText),
    ),
    set('count', 'every item', () => '', rows),
    set('count', '1000 conditions', () => `{"query":${ored((n) => `"n?in":[-${n},"x"]`)}}`, rows),
    set(
      'count',
      '1000 paths in items of many attributes',
      () => `{"query":${ored((n) => `"a.x${n}":1`)}}`,
      of(4, manyMembers),
    ),
  ];
}
