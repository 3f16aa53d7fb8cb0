import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { readAggregateBody } from '../../src/base/aggregates/aggregate-body.js';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { anyone } from '../../src/http/memory/buffer-budget.js';
import { runAtOnce } from '../../src/lib/concurrency/time-slices.js';
import { baseSpace } from '../../src/spaces.js';
import { bodyWith, readPut } from './read-bodies.js';

/** An item as it is sent: the texts of its values, so that every digit is known. */
interface Given {
  readonly key: string;
  readonly city?: string;
  readonly price?: string;
  readonly at?: string;
  readonly expired?: boolean;
}

type Path = 'key' | 'city' | 'price' | 'at';
type Column = Path | { readonly [unit: string]: Path };

interface Request {
  readonly query?: object;
  readonly group?: readonly Column[];
  readonly aggregates: Readonly<Record<string, Readonly<Record<string, Path | true>>>>;
  readonly order?: readonly string[];
}

const nowSeconds = 1_700_000_000;
const numbers = [
  '0',
  '-0',
  '1',
  '1.0',
  '2.5',
  '-0.1',
  '0.2',
  '10',
  '1e1',
  '0.30000000000000004',
  '9007199254740993',
  '9999999999999999',
  '-9999999999999999',
  '1e20',
  '-1e20',
  '123456789012345.6',
  '5e-12',
  '4.35',
];
const others = [
  'null',
  'true',
  'false',
  '"Oslo"',
  '"Rome"',
  '"10"',
  '""',
  '"a\\"b\\u0001"',
  '[1]',
  '[1.0]',
  '{"a":1,"b":2}',
  '{"b":2.0,"a":1}',
  `"${'long '.repeat(40)}"`,
];
const times = [
  '1700000000',
  '1700000000.75',
  '1699999999',
  '-1',
  '0',
  '"2023-11-14"',
  '"2023-11-14T23:30:00Z"',
  '"2023-11-14T23:30:00-02:00"',
  '"2023-11-15 01:30"',
  '"2023-02-30"',
  '"soon"',
  '1e15',
  'null',
];

const text = fc.oneof(fc.constantFrom(...numbers), fc.constantFrom(...others));
const item: fc.Arbitrary<Omit<Given, 'key'>> = fc.record(
  { city: text, price: text, at: fc.constantFrom(...times), expired: fc.constant(true) },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Omit<Given, 'key'>>;
const given = fc
  .array(item, { maxLength: 24 })
  .map((items) => items.map((one, n): Given => ({ ...one, key: `k${n}` })));

const path = fc.constantFrom<Path>('city', 'price', 'at', 'key');
const column: fc.Arbitrary<Column> = fc.oneof(
  path,
  fc.constantFrom('hour', 'day', 'month', 'year').map((unit) => ({ [unit]: 'at' as const })),
);
const pathOf = (one: Column): Path => (typeof one === 'string' ? one : (Object.values(one)[0] as Path));
const aggregate = fc.oneof(
  fc.constant({ count: true } as const),
  fc
    .tuple(fc.constantFrom('sum', 'avg', 'min', 'max', 'distinct'), path)
    .map(([kind, of]) => ({ [kind]: of })),
) as fc.Arbitrary<Readonly<Record<string, Path | true>>>;
const request: fc.Arbitrary<Request> = fc
  .record({
    query: fc.constantFrom(
      undefined,
      { city: 'Oslo' },
      { 'price?gte': 1 },
      [{ 'price?lt': 2 }, { city: true }],
      { 'key?pfx': 'k1' },
    ),
    group: fc.uniqueArray(column, { maxLength: 2, selector: pathOf }),
    aggregates: fc.dictionary(fc.constantFrom('a', 'b', 'c'), aggregate, {
      minKeys: 1,
      noNullPrototype: true,
    }),
  })
  .chain(({ query, group, aggregates }) =>
    fc
      .subarray([...Object.keys(aggregates), ...group.map(pathOf)])
      .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`))))
      .map((order) => ({
        ...(query !== undefined && { query }),
        aggregates,
        ...(group.length > 0 && { group, order }),
      })),
  );

const scale = 40n;

/** A number as an integer of so many digits behind the point. */
function scaled(number: string): bigint {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** (scale + BigInt(exponent) - BigInt(fraction.length));
}

const isNumber = (value: string) => /^[-\d]/.test(value);
const kinds = (value: string) =>
  value === 'null' ? 6 : isNumber(value) ? 2 : ({ f: 0, t: 1, '"': 3, '[': 4, '{': 5 }[value[0] ?? ''] ?? 6);

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([n, v]) => [n, canonical(v)]),
  );
}
/** What equal values have in common. */
const idOf = (value: string) =>
  isNumber(value) ? `n${scaled(value)}` : JSON.stringify(canonical(JSON.parse(value)));

function compare(a: string, b: string): number {
  if (kinds(a) !== kinds(b)) return kinds(a) - kinds(b);
  if (isNumber(a)) return Number(scaled(a) > scaled(b)) - Number(scaled(a) < scaled(b));
  if (!a.startsWith('"')) return 0;
  return Buffer.compare(Buffer.from(JSON.parse(a) as string), Buffer.from(JSON.parse(b) as string));
}

const characters: Record<string, number> = { hour: 13, day: 10, month: 7, year: 4 };

/** By the dates of JavaScript: only for those texts that are used here. */
function span(value: string | undefined, unit: string): string | undefined {
  if (value === undefined || (!isNumber(value) && !value.startsWith('"'))) return undefined;
  const written = JSON.parse(value) as string | number;
  if (written === '2023-02-30' || written === 'soon' || written === 1e15) return undefined;
  const ms =
    typeof written === 'number'
      ? Math.floor(written) * 1000
      : Date.parse(written === '2023-11-15 01:30' ? '2023-11-15T01:30Z' : written);
  return JSON.stringify(new Date(ms).toISOString().slice(0, characters[unit]));
}

const textAt = (one: Given, at: Path) => (at === 'key' ? JSON.stringify(one.key) : one[at]);

function holds(one: Given, query: object): boolean {
  return Object.entries(query).every(([condition, operand]) => {
    const [at = '', operator] = condition.split('?');
    const value = textAt(one, at as Path);
    if (operator === undefined) return value !== undefined && idOf(value) === idOf(JSON.stringify(operand));
    if (operator === 'pfx') return one.key.startsWith(operand as string);
    if (value === undefined || !isNumber(value)) return false;
    const difference = scaled(value) - scaled(String(operand));
    return operator === 'gte' ? difference >= 0n : difference < 0n;
  });
}

interface Result {
  readonly group?: Readonly<Record<string, unknown>>;
  readonly skipped?: Readonly<Record<string, number>>;
  readonly exact?: false;
  readonly [name: string]: unknown;
}

/** Checks the results of one group: those of the items that a plain model has put into it. */
function checkResults(
  found: Result,
  texts: ReadonlyMap<string, string>,
  members: readonly Given[],
  { aggregates }: Request,
): void {
  let isRounded = false;
  for (const [name, aggregated] of Object.entries(aggregates)) {
    const [kind, at] = Object.entries(aggregated)[0] as [string, Path | true];
    const result = texts.get(name) as string;
    if (at === true) {
      assert.equal(result, String(members.length));
      continue;
    }
    const present = members.map((one) => textAt(one, at)).filter((value) => value !== undefined);
    const used = present.filter((value) =>
      kind === 'distinct' ? true : kind === 'sum' || kind === 'avg' ? isNumber(value) : kinds(value) < 4,
    );
    assert.equal(found.skipped?.[name] ?? 0, members.length - used.length, `skipped by ${name}`);
    if (kind === 'distinct') assert.equal(result, String(new Set(used.map(idOf)).size));
    else if (kind === 'min' || kind === 'max') {
      const [first] = used.toSorted((a, b) => (kind === 'min' ? compare(a, b) : compare(b, a)));
      assert.equal(result === 'null' ? undefined : idOf(result), first && idOf(first), name);
    } else {
      const sum = used.reduce((total, value) => total + scaled(value), 0n);
      if (kind === 'avg' && used.length === 0) {
        assert.equal(result, 'null');
        continue;
      }
      const exact = kind === 'sum' ? sum : sum / BigInt(used.length);
      const digits = String(exact).replace('-', '').replace(/0+$/, '').length;
      const isWhole = exact % 10n ** scale === 0n;
      const difference = exact - scaled(result);
      // Without a point, one digit less is kept.
      const kept = isWhole || String(exact).length > Number(scale) + 16 ? 16 : 17;
      if (digits <= kept) assert.ok(difference === 0n || kind === 'avg', `${name}: ${result}`);
      const unit = 10n ** BigInt(Math.max(0, String(exact).replace('-', '').length - kept));
      assert.ok(
        2n * (difference < 0n ? -difference : difference) <= unit + 2n,
        `${name}: ${result} for ${exact}`,
      );
      if (kind === 'sum' && difference !== 0n) isRounded = true;
    }
  }
  assert.equal(found.exact, isRounded ? false : undefined);
}

/** The texts of the members of JSON on one level: numbers keep their digits. */
function textsOf(json: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // Behind the results are the numbers of the items that were skipped.
  for (const [, name = '', value = ''] of json.matchAll(/"([abc])":("(?:[^"\\]|\\.)*"|[^,}\]]+)/g))
    if (!found.has(name)) found.set(name, value);
  return found;
}

async function compute(
  service: BaseService,
  body: object,
): Promise<{ text: string; index: string | undefined; items: number }> {
  const asked = bodyWith(runAtOnce(readAggregateBody(Buffer.from(JSON.stringify(body)))));
  const cost: { items: number; bytes: number; index?: string } = { items: 0, bytes: 0 };
  const answer = await service.aggregates.compute(baseSpace('p', 'b'), asked, anyone, cost);
  return { text: answer.toString(), index: cost.index, items: cost.items };
}

/** All pages of groups, each of `limit`. */
async function pages(service: BaseService, request: Request, limit: number): Promise<string[]> {
  const groups: string[] = [];
  for (let last: string | undefined; ; ) {
    const { text: page } = await compute(service, { ...request, limit, last });
    const [, list = '', paging = ''] = /^\{"groups":\[(.*)\],"paging":(\{[^}]*\})\}$/s.exec(page) ?? [];
    if (list !== '') groups.push(...list.split(/,(?=\{"group":)/));
    ({ last } = JSON.parse(paging) as { last?: string });
    if (last === undefined) return groups;
  }
}

function checkGroups(groups: readonly string[], members: readonly Given[], request: Request): void {
  const columns = request.group ?? [];
  const expected = new Map<string, Given[]>();
  for (const one of members) {
    const values = columns.map((column) => {
      if (typeof column === 'string') {
        const value = textAt(one, column);
        return value === undefined ? '' : idOf(value);
      }
      const [unit = '', at] = Object.entries(column)[0] ?? [];
      return span(textAt(one, at as Path), unit) ?? '';
    });
    const id = values.join('\0');
    expected.set(id, [...(expected.get(id) ?? []), one]);
  }
  const seen = new Set<string>();
  for (const group of groups) {
    const [, values = '', rest = ''] = /^\{"group":(\{.*?\}(?=,"[abc]":))(.*)$/s.exec(group) ?? [];
    const found = JSON.parse(group) as Result;
    const parsed = JSON.parse(values) as Record<string, unknown>;
    const id = columns
      .map((column) => {
        const name = pathOf(column);
        if (!(name in parsed)) return '';
        const number = new RegExp(`"${name}":(-?\\d[^,}]*)`).exec(values)?.[1];
        return typeof parsed[name] === 'number' ? idOf(number as string) : idOf(JSON.stringify(parsed[name]));
      })
      .join('\0');
    assert.ok(!seen.has(id), `${id} is there twice`);
    seen.add(id);
    const own = expected.get(id);
    assert.ok(own !== undefined, `${group} is none of ${[...expected.keys()].join(' ')}`);
    checkResults(found, textsOf(rest), own, request);
  }
  assert.equal(seen.size, expected.size);
}

/** Checks that groups come in the order that is asked for, and then in that of their values. */
function checkOrder(groups: readonly string[], { group = [], order = [] }: Request): void {
  const paths = group.map(pathOf);
  const named = order.map((name) => name.replace('-', ''));
  const columns = [...order, ...paths.filter((name) => !named.includes(name))];
  const parsed = groups.map((text) => {
    const values = /^\{"group":(\{.*?\})(?=,"[abc]":)/s.exec(text)?.[1] ?? '';
    const own = JSON.parse(values) as Record<string, unknown>;
    const results = textsOf(text.slice(values.length + 9));
    return (name: string): string => {
      if (!paths.includes(name as Path)) return (results.get(name) ?? '').replace('null', '');
      if (!(name in own)) return '';
      const number = new RegExp(`"${name}":(-?\\d[^,}]*)`).exec(values)?.[1];
      return typeof own[name] === 'number' ? (number as string) : JSON.stringify(own[name]);
    };
  });
  for (const [n, behind] of parsed.slice(1).entries()) {
    const before = parsed[n] as (name: string) => string;
    for (const column of columns) {
      const name = column.replace('-', '');
      const [a, b] = [before(name), behind(name)];
      const difference =
        a === '' || b === ''
          ? Number(a === '') - Number(b === '')
          : compare(a, b) * (column === name ? 1 : -1);
      assert.ok(difference <= 0, `${groups[n]} comes before ${groups[n + 1]}, by ${columns.join()}`);
      if (difference < 0) break;
    }
  }
}

/**
 * Compares aggregates with a plain model over random items and requests: with indexes and without. Gives how many were
 * answered from entries alone.
 */
export async function sameAsModel(store: ItemStore, options: fc.Parameters<unknown>): Promise<number> {
  const service = createBaseService(store, () => nowSeconds * 1000);
  const space = baseSpace('p', 'b');
  let byEntries = 0;
  const put = async (items: readonly Given[]) => {
    for (const { key, expired, ...values } of items) {
      const members = Object.entries(values).map(([name, value]) => `,"${name}":${value}`);
      const expiry = expired ? `,"__expires":${nowSeconds}` : '';
      await service.put('p', 'b', readPut(`{"items":[{"key":"${key}"${members.join('')}${expiry}}]}`));
    }
  };
  await fc.assert(
    fc.asyncProperty(given, request, fc.constantFrom(1, 3, 1000), async (items, asked, limit) => {
      await service.removeAll('p', 'b', '', () => false);
      await put(items);
      const objects = [asked.query ?? {}].flat();
      const members = items.filter((one) => !one.expired && objects.some((query) => holds(one, query)));
      const check = async () => {
        if (asked.group === undefined) {
          const { text: answer } = await compute(service, asked);
          checkResults(JSON.parse(answer) as Result, textsOf(answer), members, asked);
          return [answer];
        }
        const groups = await pages(service, asked, limit);
        checkGroups(groups, members, asked);
        checkOrder(groups, asked);
        return groups;
      };
      const without = await check();
      await service.indexes.declare(space, 'all', { fields: ['city', 'price', 'at'] });
      const state = async () => (await service.indexes.list(space, () => false))[0]?.state;
      while ((await state()) !== 'ready') await nextTurn();
      assert.deepEqual(await check(), without);
      const { index, items: read } = await compute(service, asked);
      if (index !== undefined && read === 0) byEntries++;
      await service.indexes.drop(space, 'all');
      while ((await state()) !== undefined) await nextTurn();
    }),
    options,
  );
  await service.stop();
  return byEntries;
}
