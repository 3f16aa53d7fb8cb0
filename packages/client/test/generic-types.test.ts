// Code that does not know the type of its items. The compiler checks the types when it compiles this file, as it does
// with types.test.ts.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Base, type Conditions, type Data, type Item, type Query, util } from '../src/index.js';

/** Of items that have a name. */
export class Registry<T extends { name: string; tags?: string[] }> {
  constructor(private readonly base: Base<T>) {}

  static open<T extends { name: string }>(name: string): Registry<T> {
    return new Registry(Base<T>(name));
  }

  async save(item: T, items: T[]): Promise<T> {
    const stored: T & { key: string } = await this.base.put(item, 'k', { expireIn: 1 });
    const { key, name }: { key: string; name: string } = await this.base.insert(item);
    const { processed } = await this.base.putMany([item, ...items]);
    await this.base.putAll(items);
    await this.base.importItems(new Set(items));
    await this.base.put({ ...item, key: key + name });
    return processed.items[0] ?? stored;
  }

  async again(key: string): Promise<Item<T>> {
    const found = await this.base.get(key);
    if (found === null) throw new Error(key);
    const item: T = found;
    item.name.toUpperCase();
    found.name.toUpperCase();
    found.key.toUpperCase();
    return await this.base.put(found);
  }

  async find(name: string): Promise<readonly T[]> {
    const { items } = await this.base.fetch({ name });
    await this.base.fetch({ 'name?pfx': 'a', key: 'b' }, { order: ['-name'], limit: 1 });
    await this.base.fetch([{ name }, { 'tags?has': 'x' }]);
    for await (const item of this.base.items({ name })) item.name.toUpperCase();
    for await (const item of this.base.exportItems()) item.key.toUpperCase();
    await this.base.count({ name });
    await this.base.deleteWhere({ name });
    const parts = await this.base.fetch({ name }, { select: ['name'] });
    parts.items[0]?.key.toUpperCase();
    return items;
  }

  async change(name: string, key: string, item: T): Promise<T> {
    await this.base.update({ name, tags: util.append('x') }, key, { if: { 'name?ne': name } });
    await this.base.updateWhere({ name }, { name });
    await this.base.declareIndex('by-name', ['name']);
    const [stored] = await this.base.transaction(({ put, update, check }) => [
      put(item, key),
      update({ name }, key, { if: { name } }),
      check(key, { name }),
    ]);
    // @ts-expect-error it is not known to be an item
    await this.base.put(7);
    // @ts-expect-error it has no name
    await this.base.put({ title: 'x' });
    // @ts-expect-error it may lack other attributes
    await this.base.put({ name: 'x' });
    // @ts-expect-error a query is an object
    await this.base.fetch(name);
    // @ts-expect-error a limit is a number
    await this.base.fetch({ name }, { limit: name });
    return stored;
  }

  /** Functions can take parts of calls. */
  async via(query: Query<T>, conditions: Conditions<T>, data: Data<T>): Promise<Item<T>> {
    await this.base.fetch(query);
    await this.base.fetch([conditions]);
    return await this.base.put(data);
  }
}

/** Of anything: an item may be a value. */
export class Cache<V> {
  constructor(private readonly base: Base<V>) {}

  async keep(value: V, key: string): Promise<Item<V>> {
    await this.base.update({ seen: 1 }, key);
    return await this.base.put(value, key);
  }

  async value(key: string): Promise<string | undefined> {
    const item = await this.base.get(key);
    // @ts-expect-error an item of values is no value
    const value: V | null = item;
    void value;
    return item?.key;
  }
}

/** Where T is known again, everything is checked. */
export async function known(
  users: Base<{ name: string; age: number }>,
  // biome-ignore lint/suspicious/noExplicitAny: people write it
  anything: Base<any>,
): Promise<void> {
  await new Registry(users).save({ name: 'a', age: 1 }, []);
  // @ts-expect-error the age is missing
  await new Registry(users).save({ name: 'a' }, []);
  const [first] = await new Registry(users).find('a');
  first?.age.toFixed();
  await new Cache(Base<number>('n')).keep(1, 'k');
  // @ts-expect-error a number
  await new Cache(Base<number>('n')).keep('1', 'k');
  const item = await anything.put({ a: new Date(), key: 7 });
  item.b.c();
  await anything.fetch({ 'a.b?gt': 1 }, { order: ['x'] });
}

type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number };

/** The types of a union stay apart. */
export async function united(shapes: Base<Shape>): Promise<number | undefined> {
  await shapes.put({ kind: 'circle', radius: 1 });
  // @ts-expect-error a circle has no side
  await shapes.put({ kind: 'circle', side: 1 });
  const shape = await shapes.get('k');
  return shape?.kind === 'circle' ? shape.radius : shape?.side;
}

test('the types of this file were checked when it was compiled', async () => {
  const source = await readFile(new URL('../../test/generic-types.test.ts', import.meta.url), 'utf8');
  assert.ok(source.split('@ts-expect-error').length > 8);
});
