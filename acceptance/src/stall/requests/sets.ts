import { denseList, denseObjects, filled, largeItem, listed, longText, manyMembers } from './bodies.js';
import type { Count, HostileRequest } from './hostile-request.js';

/** Bodies of Count Items, Aggregate, Update By Query and Delete By Query. */
export function sets(count: Count, bodyBytes: number): HostileRequest[] {
  const stored = storedBy(count);
  return [
    ...updates(count, bodyBytes, stored),
    ...deletes(count, bodyBytes, stored),
    ...aggregates(count, stored),
    ...counts(count, stored),
  ];
}

type Items = () => readonly string[];

/** What a base has before such a request. */
interface Stored {
  /** Items of one large value each. */
  readonly of: (most: number, value: (bytes: number) => string) => Items;
  readonly rows: Items;
  readonly few: Items;
}

function storedBy(count: Count): Stored {
  return {
    of: (most, value) => () => Array.from({ length: count(most) }, (_, n) => largeItem(value, `k${n}`)),
    rows: () => Array.from({ length: count(5000) }, (_, n) => `{"key":"k${n}","n":${n}}`),
    few: () => Array.from({ length: count(50) }, (_, n) => `{"key":"k${n}","n":${n},"a":[]}`),
  };
}

type Make = (name: string, body: () => string, items: Items) => HostileRequest;

function requestsOf(operation: 'count' | 'aggregate' | 'update' | 'delete'): Make {
  return (name, body, items) => ({
    name: `query/${operation}: ${name}`,
    method: 'POST',
    path: `/query/${operation}`,
    body,
    items,
  });
}

function ored(count: Count, make: (n: number) => string): string {
  return `[${listed(count(1000), (n) => `{${make(n)}}`)}]`;
}

function updates(count: Count, bodyBytes: number, { of, rows, few }: Stored): HostileRequest[] {
  const update = requestsOf('update');
  const assigned = (most: number) => `{${listed(count(most), (n) => `"p${n}":${n}`)}}`;
  const deep = (n: number) => `p${n}${'.a'.repeat(99)}`;
  return [
    update('10,000 paths in 50 items', () => `{"all":true,"set":${assigned(10_000)}}`, few),
    update('100,000 paths', () => `{"all":true,"set":${assigned(100_000)}}`, few),
    update(
      '10,000 paths of 50 items, the last of which fails',
      () => `{"all":true,"set":${assigned(9999)},"increment":{"a":1}}`,
      few,
    ),
    update(
      '1000 deep paths to delete in many items',
      () => `{"all":true,"delete":[${listed(count(1000), (n) => `"${deep(n)}"`)}]}`,
      rows,
    ),
    update('many items', () => '{"all":true,"increment":{"n":1}}', rows),
    update('many items that refuse it', () => '{"all":true,"append":{"n":[1]}}', rows),
    update(
      'a large value for many items',
      () => `{"all":true,"set":{"a":${denseList(count(200_000))}}}`,
      () => rows().slice(0, count(100)),
    ),
    update(
      'a list appended to long lists',
      () => `{"all":true,"append":{"a":${denseList(count(180_000))}}}`,
      of(10, (bytes) => denseList(bytes / 2)),
    ),
    update('10 items of many attributes', () => '{"all":true,"set":{"b":1}}', of(10, manyMembers)),
    update('20 items of zeros', () => '{"all":true,"set":{"b":1}}', of(20, denseList)),
    update('millions of values', () => `{"all":true,"set":{"a":${denseObjects(bodyBytes)}}}`, few),
    update(
      'many items, 1000 conditions',
      () => `{"query":${ored(count, (n) => `"n?ne":-${n}`)},"set":{"b":1}}`,
      rows,
    ),
    update(
      '100 of many items in an order, with their items',
      () => '{"all":true,"increment":{"n":1},"order":["-n"],"limit":100,"return":"new"}',
      rows,
    ),
  ];
}

function deletes(count: Count, bodyBytes: number, { of, rows }: Stored): HostileRequest[] {
  const remove = requestsOf('delete');
  return [
    remove('many items', () => '{"all":true}', rows),
    remove('many items, one by one', () => '{"query":{"n?gte":0},"limit":1}', rows),
    remove('20 items of 400 KiB', () => '{"all":true}', of(20, longText)),
    remove(
      '1000 conditions that nothing matches',
      () => `{"query":${ored(count, (n) => `"n":-${n + 1}`)}}`,
      rows,
    ),
    remove('a dry run of it', () => `{"query":${ored(count, (n) => `"n":-${n + 1}`)},"dry_run":true}`, rows),
    remove('an absurd limit', () => `{"all":true,"limit":1${'0'.repeat(900)}}`, rows),
    remove('objects without conditions', () => `{"query":[${filled(bodyBytes, '{}')}]}`, rows),
  ];
}

function aggregates(count: Count, { of, rows }: Stored): HostileRequest[] {
  const aggregate = requestsOf('aggregate');
  return [
    aggregate(
      'a group of each item',
      () =>
        '{"group":["n","key"],"aggregates":{"a":{"sum":"n"},"b":{"avg":"n"},"c":{"distinct":"key"}},"order":["-a"]}',
      rows,
    ),
    aggregate(
      'different values of 20 items of 400 KiB',
      () => '{"group":["a"],"aggregates":{"a1":{"distinct":"a"},"a2":{"max":"a"}}}',
      of(20, denseList),
    ),
    aggregate(
      '20 sums of numbers of 632 magnitudes in 38 groups',
      () => `{"group":["g"],"aggregates":{${listed(20, (n) => `"a${n}":{"sum":"n"}`)}}}`,
      () =>
        Array.from({ length: count(632) }, (_, n) => n - 323).flatMap((exponent) =>
          Array.from(
            { length: 38 },
            (_, g) =>
              `{"key":"k${g} ${exponent}","g":${g},"n":1e${exponent < 0 ? exponent : `+${exponent}`}}`,
          ),
        ),
    ),
    aggregate(
      'long text as groups',
      () => '{"group":["a"],"aggregates":{"b":{"max":"a"},"c":{"min":"a"}}}',
      of(20, longText),
    ),
  ];
}

function counts(count: Count, { of, rows }: Stored): HostileRequest[] {
  const counted = requestsOf('count');
  return [
    counted('every item', () => '', rows),
    counted('1000 conditions', () => `{"query":${ored(count, (n) => `"n?in":[-${n},"x"]`)}}`, rows),
    counted(
      '1000 paths in items of many attributes',
      () => `{"query":${ored(count, (n) => `"a.x${n}":1`)}}`,
      of(4, manyMembers),
    ),
  ];
}
