import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Base, Deta, Drive } from 'deta';

/** What an application does with npm `deta`. Rejects if the service does not answer as the original service did. */
export type Scenario = () => Promise<void>;

const mib = 1024 * 1024;
const nowSeconds = () => Math.floor(Date.now() / 1000);
const fresh = (prefix: string) => `${prefix}${randomBytes(6).toString('hex')}`;

/** The key comes from `DETA_PROJECT_KEY`, the hosts from `DETA_BASE_HOST` and `DETA_DRIVE_HOST`. */
const freshBase = () => Base(fresh('base'));
const freshDrive = () => Drive(fresh('drive'));

type BlobLike = { readonly type: string; arrayBuffer(): Promise<ArrayBuffer> };

async function bytesOf(blob: unknown): Promise<Buffer> {
  assert.ok(blob, 'the file is missing');
  return Buffer.from(await (blob as BlobLike).arrayBuffer());
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'the three ways to a base and a drive': async () => {
    const name = fresh('both');
    const key = process.env.DETA_PROJECT_KEY as string;
    await Base(name).put({ a: 1 }, 'k');
    assert.deepEqual(await Deta(key).Base(name).get('k'), { key: 'k', a: 1 });
    assert.deepEqual(await Deta().Base(name, process.env.DETA_BASE_HOST).get('k'), { key: 'k', a: 1 });
    await Drive(name).put('f', { data: 'x' });
    assert.deepEqual(await Deta(key).Drive(name).list(), { names: ['f'] });
    assert.deepEqual(await Deta().Drive(name, process.env.DETA_DRIVE_HOST).list(), { names: ['f'] });
  },

  'a wrong key is an error': async () => {
    await assert.rejects(Deta('demo_wrong').Base('b').get('k'), /Unauthorized/);
    await assert.rejects(Deta('demo_wrong').Drive('d').list(), /Unauthorized/);
  },

  'base.put of objects': async () => {
    const base = freshBase();
    assert.deepEqual(await base.put({ name: 'a', deep: { list: [1, null] } }, 'k'), {
      key: 'k',
      name: 'a',
      deep: { list: [1, null] },
    });
    assert.deepEqual(await base.put({ key: 'inside', n: 1 }), { key: 'inside', n: 1 });
    assert.deepEqual(await base.put({ key: 'inside', n: 1 }, 'given'), { key: 'given', n: 1 });
    const made = (await base.put({ n: 2 })) as { key: string };
    assert.match(made.key, /^[a-z0-9]{12}$/);
    assert.deepEqual(await base.get(made.key), { key: made.key, n: 2 });
    await base.put({ other: true }, 'k');
    assert.deepEqual(await base.get('k'), { key: 'k', other: true }, 'put overwrites');
  },

  'base.put of values that are no objects': async () => {
    const base = freshBase();
    for (const value of ['text', 7, true, false, 0, '', [1, 'two', { three: 3 }]]) {
      assert.deepEqual(await base.put(value, 'k'), { key: 'k', value });
      assert.deepEqual(await base.get('k'), { key: 'k', value });
    }
    assert.equal(((await base.insert('text')) as { value: string }).value, 'text');
  },

  'base.get and base.delete of what is not there': async () => {
    const base = freshBase();
    assert.equal(await base.get('absent'), null);
    assert.equal(await base.delete('absent'), null);
    await base.put({}, 'k');
    assert.equal(await base.delete('k'), null);
    assert.equal(await base.get('k'), null);
  },

  'keys that have to be encoded': async () => {
    const base = freshBase();
    // Not `.` and `..`: `fetch` removes these path segments before it sends the request.
    for (const key of ['a/b', 'a b', '100%', '?#&=', '%2F', 'ä', '🙂', '../a', 'a+b', '"']) {
      await base.put({ n: 1 }, key);
      assert.deepEqual(await base.get(key), { key, n: 1 });
      await base.update({ n: base.util.increment() }, key);
      assert.deepEqual((await base.fetch({ key })).items, [{ key, n: 2 }]);
      await base.delete(key);
      assert.equal(await base.get(key), null);
    }
  },

  'base.insert': async () => {
    const base = freshBase();
    assert.deepEqual(await base.insert({ n: 1 }, 'k'), { key: 'k', n: 1 });
    await assert.rejects(base.insert({ n: 2 }, 'k'), /Item with key k already exists/);
    assert.deepEqual(await base.get('k'), { key: 'k', n: 1 });
    await assert.rejects(base.insert({ key: 'k' }), /Item with key k already exists/);
  },

  'base.putMany': async () => {
    const base = freshBase();
    const answer = await base.putMany([{ key: 'a', n: 1 }, { key: 'b' }, { n: 3 }, 'text', [1]]);
    const { items } = (answer as { processed: { items: { key: string; value?: unknown }[] } }).processed;
    assert.equal(items.length, 5);
    assert.deepEqual(items.slice(0, 2), [{ key: 'a', n: 1 }, { key: 'b' }]);
    assert.equal(items[3]?.value, 'text');
    const full = await base.putMany(Array.from({ length: 25 }, (_, n) => ({ key: `k${n}` })));
    assert.equal((full as { processed: { items: unknown[] } }).processed.items.length, 25);
    await assert.rejects(base.putMany(Array.from({ length: 26 }, () => ({}))), /more than 25/);
    await assert.rejects(base.putMany([{ key: 'same' }, { key: 'same' }]), /key/);
  },

  'base.update with every utility': async () => {
    const base = freshBase();
    await base.put({ name: 'a', age: 1, gone: 1, list: [2], home: { city: 'Rome', rooms: 1 } }, 'k');
    const { util } = base;
    const updates = {
      name: 'b',
      'home.city': 'Oslo',
      age: util.increment(),
      'home.rooms': util.increment(-2),
      fresh: util.increment(1.5),
      list: util.append(3),
      made: util.prepend(['x', 'y']),
      gone: util.trim(),
      'home.street': null,
    };
    assert.equal(await base.update(updates, 'k'), null);
    assert.deepEqual(await base.get('k'), {
      key: 'k',
      name: 'b',
      age: 2,
      list: [2, 3],
      home: { city: 'Oslo', rooms: -1, street: null },
      fresh: 1.5,
      made: ['x', 'y'],
    });
    await base.update({ list: util.prepend([0, 1]) }, 'k');
    await base.update({ list: util.append([4, 5]) }, 'k');
    assert.deepEqual(((await base.get('k')) as { list: number[] }).list, [0, 1, 2, 3, 4, 5]);
    await assert.rejects(base.update({ a: 1 }, 'absent'), /Key not found/);
    await assert.rejects(base.update({ key: 'other' }, 'k'), /key/);
    await assert.rejects(base.update({}, 'k'));
  },

  'base.fetch with queries': async () => {
    const base = freshBase();
    await base.putMany([
      { key: 'a', age: 10, name: 'Ann', tags: ['x', 'y'], home: { city: 'Rome' } },
      { key: 'b', age: 20, name: 'Bob', tags: ['y'], home: { city: 'Oslo' } },
      { key: 'c', age: 30, name: 'Bea', active: true },
    ]);
    const keys = async (query?: unknown) => {
      const { items, count } = await base.fetch(query as never);
      assert.equal(count, items.length);
      return items.map(({ key }) => key);
    };
    assert.deepEqual(await keys(), ['a', 'b', 'c']);
    assert.deepEqual(await keys({}), ['a', 'b', 'c']);
    assert.deepEqual(await keys([]), ['a', 'b', 'c']);
    assert.deepEqual(await keys({ age: 20 }), ['b']);
    assert.deepEqual(await keys({ 'age?gt': 10, 'age?lt': 30 }), ['b']);
    assert.deepEqual(await keys([{ age: 10 }, { active: true }]), ['a', 'c']);
    assert.deepEqual(await keys({ 'home.city': 'Oslo' }), ['b']);
    assert.deepEqual(await keys({ 'name?pfx': 'B' }), ['b', 'c']);
    assert.deepEqual(await keys({ 'age?r': [10, 20] }), ['a', 'b']);
    assert.deepEqual(await keys({ 'tags?contains': 'y' }), ['a', 'b']);
    assert.deepEqual(await keys({ 'tags?not_contains': 'x' }), ['b', 'c']);
    assert.deepEqual(await keys({ 'age?ne': 20 }), ['a', 'c']);
    assert.deepEqual(await keys({ 'key?gte': 'b' }), ['b', 'c']);
    assert.deepEqual(await keys({ name: 'nobody' }), []);
    await assert.rejects(base.fetch({ 'age?like': 1 }), /^Error: Bad query$/);
  },

  'base.fetch in pages': async () => {
    const base = freshBase();
    const keys = Array.from({ length: 10 }, (_, n) => `k${n}`);
    await base.putMany(keys.map((key) => ({ key })));
    for (const desc of [false, true]) {
      const seen: unknown[] = [];
      let last: string | undefined;
      do {
        const page = await base.fetch({}, { limit: 3, desc, ...(last === undefined ? {} : { last }) });
        assert.ok(page.count <= 3);
        seen.push(...page.items.map(({ key }) => key));
        last = page.last;
      } while (last !== undefined);
      assert.deepEqual(seen, desc ? keys.toReversed() : keys);
    }
    assert.equal((await base.fetch({}, { limit: 10 })).last, undefined);
  },

  'expireIn and expireAt': async () => {
    const base = freshBase();
    const at = nowSeconds() + 1000;
    const expires = async (key: string) => ((await base.get(key)) as { __expires: number }).__expires;
    const before = nowSeconds();
    await base.put({ n: 1 }, 'in', { expireIn: 500 });
    const after = nowSeconds();
    const inSeconds = await expires('in');
    assert.ok(inSeconds >= before + 500 && inSeconds <= after + 500, String(inSeconds));
    await base.put({ n: 1 }, 'at', { expireAt: new Date(at * 1000) });
    assert.equal(await expires('at'), at);
    await base.insert({ n: 1 }, 'number', { expireAt: at });
    assert.equal(await expires('number'), at);
    await base.putMany([{ key: 'many1' }, { key: 'many2' }], { expireAt: at });
    assert.equal(await expires('many2'), at);
    await base.update({ n: 2 }, 'in', { expireAt: at });
    assert.equal(await expires('in'), at);
    await base.update({}, 'in', { expireAt: at + 1 });
    assert.equal(await expires('in'), at + 1);
    await base.put({ n: 1 }, 'gone', { expireIn: -1 });
    assert.equal(await base.get('gone'), null);
    await base.update({}, 'at', { expireIn: 0 });
    assert.equal(await base.get('at'), null);
    assert.deepEqual(await base.insert({ n: 2 }, 'gone'), { key: 'gone', n: 2 });
  },

  'drive.put of a text, a Buffer, an array of bytes and a path': async () => {
    const drive = freshDrive();
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-deta-'));
    try {
      const path = join(folder, 'file');
      await writeFile(path, 'from a file');
      assert.equal(await drive.put('text', { data: 'a text' }), 'text');
      assert.equal(await drive.put('buffer', { data: Buffer.from([0, 255, 10, 13]) }), 'buffer');
      assert.equal(await drive.put('bytes', { data: new Uint8Array([1, 2, 3]) }), 'bytes');
      assert.equal(await drive.put('path', { path }), 'path');
      assert.equal(await drive.put('empty', { data: Buffer.alloc(0) }), 'empty');
      assert.equal((await bytesOf(await drive.get('text'))).toString(), 'a text');
      assert.deepEqual([...(await bytesOf(await drive.get('buffer')))], [0, 255, 10, 13]);
      assert.deepEqual([...(await bytesOf(await drive.get('bytes')))], [1, 2, 3]);
      assert.equal((await bytesOf(await drive.get('path'))).toString(), 'from a file');
      assert.equal((await bytesOf(await drive.get('empty'))).length, 0);
    } finally {
      await rm(folder, { recursive: true });
    }
  },

  'drive.put with a content type, and without': async () => {
    const drive = freshDrive();
    await drive.put('typed.txt', { data: 'x', contentType: 'text/css' });
    assert.equal(((await drive.get('typed.txt')) as BlobLike).type, 'text/css');
    await drive.put('plain.txt', { data: 'x' });
    assert.equal(
      ((await drive.get('plain.txt')) as BlobLike).type,
      'binary/octet-stream',
      'what it says by itself',
    );
    await drive.put('data.json', { data: '{"a":1}', contentType: 'application/json' });
    assert.equal((await bytesOf(await drive.get('data.json'))).toString(), '{"a":1}');
  },

  'a file of more than 10 MB goes in several parts': async () => {
    const drive = freshDrive();
    const bytes = randomBytes(25 * mib + 12_345);
    assert.equal(await drive.put('large', { data: bytes }), 'large');
    assert.ok((await bytesOf(await drive.get('large'))).equals(bytes));
    await drive.put('exact', { data: bytes.subarray(0, 20 * mib) });
    assert.equal((await bytesOf(await drive.get('exact'))).length, 20 * mib);
  },

  'names that have to be encoded': async () => {
    const drive = freshDrive();
    for (const name of ['a/b c.txt', '100%', 'ä+ö', '?#&', '🙂', '..', '../up']) {
      assert.equal(await drive.put(name, { data: 'x' }), name);
      assert.equal((await bytesOf(await drive.get(name))).toString(), 'x');
      assert.equal(await drive.delete(name), name);
      assert.equal(await drive.get(name), null);
    }
    await assert.rejects(drive.put('dir/', { data: 'x' }), /name/);
  },

  'drive.list with every option': async () => {
    const drive = freshDrive();
    const names = ['a/1', 'a/2', 'a/b/3', 'c', 'd e/f'];
    for (const name of names) await drive.put(name, { data: name });
    assert.deepEqual(await drive.list(), { names });
    assert.deepEqual(await drive.list({ prefix: 'a/' }), { names: ['a/1', 'a/2', 'a/b/3'] });
    assert.deepEqual(await drive.list({ prefix: 'd e/' }), { names: ['d e/f'] });
    assert.deepEqual(await drive.list({ recursive: false }), { names: ['a/', 'c', 'd e/'] });
    assert.deepEqual(await drive.list({ recursive: false, prefix: 'a/' }), { names: ['a/1', 'a/2', 'a/b/'] });
    assert.deepEqual(await drive.list({ recursive: true, limit: 2 }), {
      paging: { size: 2, last: 'a/2' },
      names: ['a/1', 'a/2'],
    });
    assert.deepEqual(await drive.list({ limit: 2, last: 'a/2' }), {
      paging: { size: 2, last: 'c' },
      names: ['a/b/3', 'c'],
    });
    assert.deepEqual(await drive.list({ last: 'c' }), { names: ['d e/f'] });
    await assert.rejects(drive.list({ limit: 0 }), /limit/);
  },

  'drive.get, delete and deleteMany of what is there and what is not': async () => {
    const drive = freshDrive();
    for (const name of ['a', 'b', 'c']) await drive.put(name, { data: name });
    assert.equal(await drive.get('absent'), null);
    assert.equal(await drive.delete('absent'), 'absent');
    assert.equal(await drive.delete('a'), 'a');
    assert.deepEqual(await drive.deleteMany(['b', 'absent', 'bad/']), {
      deleted: ['b', 'absent'],
      failed: { 'bad/': 'invalid name' },
    });
    await assert.rejects(drive.deleteMany(['']), /Names can't be empty/);
    assert.deepEqual(await drive.list(), { names: ['c'] });
    const thousand = Array.from({ length: 1000 }, (_, n) => `n${n}`);
    assert.equal((await drive.deleteMany(thousand)).deleted.length, 1000);
  },
};
