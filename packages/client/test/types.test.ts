// The compiler checks the types when it compiles this file: each line below `@ts-expect-error` has to be an error, and no
// other line may be one. The test at the end only shows that the file was compiled.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type {
  AttributePath,
  Base,
  Drive,
  DriveFile,
  FetchResult,
  Item,
  JsonValue,
  Storable,
  StoredItem,
} from '../src/index.js';
import { util } from '../src/index.js';

interface User {
  name: string;
  age: number;
  nick?: string;
  role: 'admin' | 'guest';
  active: boolean;
  tags: string[];
  scores: number[];
  home?: { city: string; rooms: { name: string; size?: number }[] };
  parent: User | null;
  'dotted.name': number;
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function equal<A, B>(_: Equal<A, B>): void {}

type UserId = string & { readonly brand: 'user' };

interface WithDate {
  name: string;
  at: string | Date;
  log?: { at: Date }[];
}

export async function bases(
  users: Base<User>,
  base: Base,
  words: Base<string>,
  counts: Base<Record<string, number>>,
  loose: Base<{ meta: unknown; n: number }>,
  dates: Base<WithDate>,
  branded: Base<{ id: UserId; readonly tuple: readonly [UserId, number?] }>,
  maps: Base<{ map: Map<string, number> }>,
  bytes: Base<{ bytes: Uint8Array }>,
) {
  // What is live has the types of what comes back.
  users.live({ 'age?gte': 18 }, (items) => equal<typeof items, (User & { key: string })[]>(true), {
    order: ['-home.city', 'age'],
  });
  // @ts-expect-error no such attribute
  users.live({ 'size?gte': 18 }, () => {});
  // @ts-expect-error no such attribute
  users.live({}, () => {}, { order: ['size'] });
  // @ts-expect-error the numbers of a page are not kept current
  users.live({}, () => {}, { offset: 1 });

  // What comes back.
  const ada = await users.get('ada');
  equal<typeof ada, (User & { key: string }) | null>(true);
  // @ts-expect-error the result may be null
  ada.name;
  equal<Item<string>, { key: string; value: string }>(true);
  equal<Item<number[]>, { key: string; value: number[] }>(true);
  (await words.get('w'))?.value.toUpperCase();
  const anything = await base.get('x');
  equal<NonNullable<typeof anything>['name'], unknown>(true);
  const page: FetchResult<User> = await users.fetch();
  page.items[0]?.home?.city.toUpperCase();
  for await (const user of users.items()) user.key.toUpperCase();

  // What goes in.
  const user: User = {
    name: 'a',
    age: 1,
    role: 'guest',
    active: true,
    tags: [],
    scores: [],
    parent: null,
    'dotted.name': 1,
  };
  await users.put(user);
  await users.put({ ...user, key: 'k' });
  await users.insert(user, 'k', { expireIn: 3, expireAt: undefined });
  // @ts-expect-error an attribute is missing
  await users.put({ name: 'a' });
  // @ts-expect-error a key is a string
  await users.put({ ...user, key: 7 });
  // @ts-expect-error the option does not exist
  await users.put(user, 'k', { expiresIn: 3 });
  await users.putMany([user, { ...user, key: 'k' }]);
  // @ts-expect-error a wrong type
  await users.putMany([{ ...user, age: '1' }]);
  await words.put('text');
  // @ts-expect-error the items are strings
  await words.put(1);
  await base.put([1, 'two', { three: null }]);
  await base.put('text');

  // What JSON would change cannot be stored.
  await dates.put({ name: 'a', at: '2026-01-02' });
  // @ts-expect-error a Date would come back as a string
  await dates.put({ name: 'a', at: new Date() });
  // @ts-expect-error a Date deep inside
  await dates.put({ name: 'a', at: '', log: [{ at: new Date() }] });
  const logged = [{ name: 'b', at: '', log: [{ at: new Date() }] }];
  // @ts-expect-error a Date in one of several items
  await dates.putMany(logged);
  const date: WithDate = { name: 'a', at: new Date() };
  // @ts-expect-error the type of the items has a Date
  await dates.insert(date);
  // @ts-expect-error a Date in an update
  await dates.update({ at: new Date() }, 'k');
  // @ts-expect-error a Date that is appended
  await dates.update({ log: util.append({ at: new Date() }) }, 'k');
  equal<Storable<UserId>, UserId>(true);
  await branded.put({ id: 'a' as UserId, tuple: ['b' as UserId] });
  await branded.update({ id: 'c' as UserId }, 'k');
  // @ts-expect-error a plain string is not branded
  await branded.put({ id: 'a', tuple: ['b' as UserId] });
  // @ts-expect-error a Map comes back as an empty object
  await maps.put({ map: new Map() });
  // @ts-expect-error bytes come back as an object of numbers
  await bytes.put({ bytes: new Uint8Array(1) });

  // Conditions and transactions.
  await users.update({ age: util.increment() }, 'k', { if: { 'age?lt': 40, 'home.city': 'Oslo' } });
  // @ts-expect-error there is no such attribute
  await users.update({ age: 1 }, 'k', { if: { ages: 1 } });
  // @ts-expect-error an age is a number
  await users.update({ age: 1 }, 'k', { if: { age: '1' } });
  const results = await users.transaction(({ put, insert, update, check, ...t }) => [
    put(user, 'k', { expireIn: 3 }),
    insert({ ...user, key: 'k' }),
    update({ age: util.increment(), 'home.city': 'Rome' }, 'k', { if: [{ age: 1 }, { 'age?gt': 7 }] }),
    t.delete('k', { if: { active: true } }),
    t.delete('k'),
    check('k', { 'tags?contains': 'x' }),
    check('k', null),
  ]);
  type StoredUser = User & { key: string };
  equal<typeof results, [StoredUser, StoredUser, null, null, null, null, null]>(true);
  const moved = await users.transaction((t) => ['a', 'b'].map((key) => t.update({ age: 1 }, key)));
  equal<typeof moved, null[]>(true);
  const untyped = await base.transaction((t) => [
    t.put('text'),
    t.update({ 'a.b': 1 }, 'k', { if: { c: 1 } }),
  ]);
  untyped[0].key.toUpperCase();
  // @ts-expect-error an attribute is missing
  await users.transaction((t) => [t.put({ name: 'a' })]);
  // @ts-expect-error the path does not exist
  await users.transaction((t) => [t.update({ town: 'x' }, 'k')]);
  // @ts-expect-error an update needs a key
  await users.transaction((t) => [t.update({ age: 1 })]);
  // @ts-expect-error the condition is of another type
  await users.transaction((t) => [t.update({ age: 1 }, 'k', { if: { 'age?pfx': 'x' } })]);
  // @ts-expect-error a check needs a condition
  await users.transaction((t) => [t.check('k')]);
  // @ts-expect-error a put has no condition
  await users.transaction((t) => [t.put(user, 'k', { if: { age: 1 } })]);
  // @ts-expect-error there is no such option
  await users.transaction((t) => [t.delete('k', { iff: { age: 1 } })]);
  // @ts-expect-error an operation is made by a function
  await users.transaction(() => [{ delete: 'k' }]);

  // What updates return.
  const changed = await users.update({ age: 1 }, 'k', { return: 'new', upsert: user });
  equal<typeof changed, StoredUser>(true);
  const before = await users.update({ age: 1 }, 'k', { return: 'old' });
  equal<typeof before, StoredUser>(true);
  const perhaps = await users.update({ age: 1 }, 'k', { return: 'old', upsert: user });
  equal<typeof perhaps, StoredUser | null>(true);
  const silent = await users.update({ age: 1 }, 'k', { upsert: user });
  equal<typeof silent, null>(true);
  // @ts-expect-error an attribute is missing
  await users.update({ age: 1 }, 'k', { upsert: { name: 'a' } });
  // @ts-expect-error there is no such item
  await users.update({ age: 1 }, 'k', { return: 'both' });
  const returned = await users.transaction((t) => [
    t.put(user, 'k', { return: 'old' }),
    t.update({ age: 1 }, 'k', { return: 'new', upsert: user }),
    t.update({ age: 1 }, 'k', { return: 'old' }),
    t.delete('k', { return: 'old' }),
  ]);
  equal<typeof returned, [StoredUser | null, StoredUser, StoredUser | null, StoredUser | null]>(true);
  // @ts-expect-error a put returns what was there before
  await users.transaction((t) => [t.put(user, 'k', { return: 'new' })]);
  const taken = await users.updateWhere({ age: 1 }, { age: 2 }, { limit: 3, order: ['-age'], return: 'new' });
  equal<(typeof taken)['items'], StoredUser[]>(true);
  const popped = await users.deleteWhere({ age: 2 }, { limit: 3, return: 'old' });
  equal<(typeof popped)['items'], StoredUser[]>(true);
  const many = await users.deleteWhere({ age: 2 }, { limit: 3 });
  equal<typeof many, number>(true);
  // @ts-expect-error what returns items has a limit
  await users.updateWhere({ age: 1 }, { age: 2 }, { return: 'new' });
  // @ts-expect-error nothing is left of a deleted item
  await users.deleteWhere({ age: 2 }, { limit: 3, return: 'new' });
  // @ts-expect-error no such attribute
  await users.deleteWhere({ age: 2 }, { limit: 3, order: ['town'] });

  // Aggregates.
  const all = await users.aggregate(
    { n: { count: true }, mean: { avg: 'age' }, first: { min: 'name' } },
    { age: 1 },
  );
  equal<typeof all.n, number>(true);
  equal<typeof all.mean, number | null>(true);
  equal<typeof all.first, string | null>(true);
  equal<typeof all.skipped, { n?: number; mean?: number; first?: number } | undefined>(true);
  const grouped = await users.aggregate({ n: { count: true } }, undefined, {
    group: ['home.city', { day: 'age' }],
    order: ['-n'],
  });
  equal<(typeof grouped.groups)[0]['group'], { 'home.city'?: string | undefined; age?: string }>(true);
  equal<(typeof grouped.groups)[0]['n'], number>(true);
  const loosely = await base.aggregate({ most: { max: 'any.thing' } });
  equal<typeof loosely.most, string | number | boolean | null>(true);
  // @ts-expect-error there is no such attribute
  await users.aggregate({ n: { sum: 'ages' } });
  // @ts-expect-error there is no such aggregate
  await users.aggregate({ n: { median: 'age' } });
  // @ts-expect-error there is no such span of time
  await users.aggregate({ n: { count: true } }, {}, { group: [{ week: 'age' }] });
  // @ts-expect-error the path leads through a list
  await users.aggregate({ n: { count: true } }, {}, { group: ['tags.0'] });

  // Queries.
  await users.fetch({
    name: 'a',
    'age?gte': 1,
    'home.city': 'Oslo',
    'home.rooms.0.name?pfx': 'k',
    'tags?contains': 'x',
  });
  await users.fetch([
    { 'key?pfx': 'a', active: true },
    { 'role?ne': 'admin', 'age?r': [1, 2], 'nick?!=': 'x' },
  ]);
  await users.fetch({
    'parent.parent.home.city': 'x',
    parent: null,
    'scores.0?<': 3,
    'age?lt': 5n,
    scores: [1],
  });
  await users.fetch({ nick: undefined });
  await users.fetch({ nick: null, 'home?ne': null, 'home.city': null });
  // @ts-expect-error every user has a name
  await users.fetch({ name: null });
  // @ts-expect-error no such attribute
  await users.fetch({ nam: 'a' });
  // @ts-expect-error no such nested attribute
  await users.fetch({ 'home.town': 'Oslo' });
  // @ts-expect-error a wrong type
  await users.fetch({ age: '1' });
  // @ts-expect-error not one of the strings of the union
  await users.fetch({ role: 'boss' });
  // @ts-expect-error a wrong operand
  await users.fetch({ 'age?gt': '1' });
  // @ts-expect-error the operator does not exist
  await users.fetch({ 'age?like': 1 });
  // @ts-expect-error a number has no prefix
  await users.fetch({ 'age?pfx': '1' });
  // @ts-expect-error a boolean has no order
  await users.fetch({ 'active?gt': true });
  // @ts-expect-error only strings can be found in a list
  await users.fetch({ 'scores?contains': '1' });
  // @ts-expect-error a range has two ends
  await users.fetch({ 'age?r': [1] });
  // @ts-expect-error a key cannot be compared with `?ne`
  await users.fetch({ 'key?ne': 'a' });
  // @ts-expect-error no path reaches it
  await users.fetch({ 'dotted.name': 1 });
  await users.fetch({ 'age?in': [1, 2], 'role?not_in': ['admin'], 'nick?exists': false, 'tags?has': 'x' });
  await users.fetch({ 'name?icontains': 'x', 'home.city?ipfx': 'o', 'scores?has': 3, 'parent?in': [null] });
  await users.fetch({ 'home.rooms?has': { name: 'hall' } });
  await base.fetch({ 'a?in': [1, 'x', null], 'b?has': { c: 1 }, 'd?exists': true, 'e?ipfx': 'x' });
  // @ts-expect-error the values of a list have the type of the attribute
  await users.fetch({ 'age?in': ['1'] });
  // @ts-expect-error a list of values
  await users.fetch({ 'age?in': 1 });
  // @ts-expect-error true or false
  await users.fetch({ 'nick?exists': 1 });
  // @ts-expect-error an element has the type of the elements
  await users.fetch({ 'scores?has': 'x' });
  // @ts-expect-error only a list has elements
  await users.fetch({ 'name?has': 'x' });
  // @ts-expect-error a number has no case
  await users.fetch({ 'age?ipfx': '1' });
  // @ts-expect-error keys are compared by their order and beginning
  await users.fetch({ 'key?in': ['a'] });
  // @ts-expect-error an unknown attribute in one object of a list
  await users.fetch([{ name: 'a' }, { nam: 'b' }]);
  await base.fetch({ anything: 1, 'at.all?gt': 2 });
  await words.fetch({ 'value?pfx': 'a' });
  // @ts-expect-error an item made of a string has `key` and `value`
  await words.fetch({ word: 'a' });
  await counts.fetch({ 'whatever?gt': 3 });
  // @ts-expect-error numbers only
  await counts.fetch({ whatever: 'x' });
  await loose.fetch({ 'meta.a.b': 1, 'meta.c?gt': 'x', 'meta?contains': 'y', n: 1 });
  await loose.update({ 'meta.a': util.append(1), meta: { any: 1 } }, 'k');
  // @ts-expect-error a known attribute next to one of unknown type is checked
  await loose.fetch({ n: 'x' });
  // @ts-expect-error a limit is a number
  await users.fetch({}, { limit: '1' });
  const ordered = await users.fetch({}, { order: ['-age', 'home.city', 'key'], offset: 2, count: true });
  equal<typeof ordered.total, number | undefined>(true);
  ordered.items[0]?.name.toUpperCase();
  // @ts-expect-error no such attribute
  await users.fetch({}, { order: ['-nam'] });
  // @ts-expect-error a path of `order` leads through no list
  await users.fetch({}, { order: ['tags.0'] });
  // @ts-expect-error a path of `order` leads through no list
  await users.fetch({}, { order: ['-home.rooms.0.name'] });
  // @ts-expect-error a list of paths
  await users.fetch({}, { order: 'age' });
  // @ts-expect-error a number
  await users.fetch({}, { offset: '1' });
  await base.fetch({}, { order: ['-any.thing', 'x'], select: ['y.z'] });
  const { items: parts } = await users.fetch({}, { select: ['home.city', 'tags.0'], order: ['age'] });
  parts[0]?.key.toUpperCase();
  parts[0]?.home?.city?.toUpperCase();
  // @ts-expect-error what was not selected is missing
  parts[0]?.home?.city.toUpperCase();
  // @ts-expect-error no such attribute
  await users.fetch({}, { select: ['home.town'] });
  for await (const part of users.items(undefined, { select: ['age'], order: ['-age'] })) {
    part.key.toUpperCase();
    // @ts-expect-error what was not selected is missing
    part.age.toFixed();
  }

  // Updates.
  await users.update(
    { name: 'b', 'home.city': 'Rome', 'home.rooms.0.size': 3, nick: util.trim(), parent: null },
    'k',
  );
  await users.update({ age: util.increment(), 'scores.0': util.increment(-1), tags: util.append('x') }, 'k');
  await users.update({ scores: util.prepend([1, 2]), 'home.rooms': util.append({ name: 'hall' }) }, 'k', {
    expireIn: 1,
  });
  await users.update({ 'tags.0': users.util.trim(), nick: undefined }, 'k');
  // @ts-expect-error no path reaches it
  await users.update({ 'dotted.name': 2 }, 'k');
  // @ts-expect-error the key of an item does not change
  await users.update({ key: 'other' }, 'k');
  // @ts-expect-error no such attribute
  await users.update({ nam: 'b' }, 'k');
  // @ts-expect-error a wrong type
  await users.update({ age: 'old' }, 'k');
  // @ts-expect-error a string cannot be incremented
  await users.update({ name: util.increment() }, 'k');
  // @ts-expect-error the attribute is not optional
  await users.update({ name: util.trim() }, 'k');
  // @ts-expect-error the elements of the list are strings
  await users.update({ tags: util.append(1) }, 'k');
  // @ts-expect-error the attribute is not a list
  await users.update({ age: util.append(1) }, 'k');
  // @ts-expect-error the key is missing
  await users.update({ name: 'b' });
  await base.update({ a: 1, 'b.c': util.append([1]), d: util.trim() }, 'k');

  const path: AttributePath<User> = 'home.rooms.3.name';
  equal<AttributePath<{ a: { b: 1 }; c: Date }>, 'a' | 'a.b' | 'c'>(true);
  equal<AttributePath<unknown>, string>(true);
  return path;
}

export async function drives(drive: Drive) {
  await drive.put('f', 'text', { onProgress: ({ sent, total }) => sent / (total ?? sent) });
  await drive.put('f', new Uint8Array());
  await drive.put('f', new Blob(['x']), { contentType: 'text/css' });
  await drive.put('f', new File(['x'], 'x'));
  await drive.put('f', new Blob(['x']).stream());
  await drive.put('f', { path: './x' });
  await drive.put('f', { data: 'x', contentType: 'text/css' });
  // @ts-expect-error a number is not file data
  await drive.put('f', 7);
  // @ts-expect-error the data is missing
  await drive.put('f');
  const file: DriveFile | null = await drive.get('f', { range: { from: 0, to: 9 } });
  await drive.get('f', { range: { last: 9 } });
  // @ts-expect-error a range needs its first byte
  await drive.get('f', { range: { to: 9 } });
  // @ts-expect-error the result may be null
  void file.text();
  equal<Awaited<ReturnType<NonNullable<typeof file>['json']>>, unknown>(true);
}

export const stored: StoredItem = { key: 'k', any: { thing: [1] } };
export const value: JsonValue = [{ a: [null, true, 1, 'x'] }];

test('the types of this file were checked when it was compiled', async () => {
  const source = await readFile(new URL('../../test/types.test.ts', import.meta.url), 'utf8');
  assert.ok(source.split('@ts-expect-error').length > 35);
});
