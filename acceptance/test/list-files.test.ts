import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Drive, freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

interface Page {
  readonly names: readonly string[];
  readonly paging?: { readonly size: number; readonly last: string };
}

describe('List Files', { concurrency: true }, () => {
  const service = useService();
  const inBytes = (names: readonly string[]) =>
    names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

  const names = inBytes([
    'a',
    'a/1',
    'a/2',
    'a/b/1',
    'a/b/2',
    'a/c/1',
    'a-b',
    'a0',
    'b/1',
    'b/x/y/z',
    'c',
    'd//e',
    '/lead',
    'Z',
    'é/1',
    '🙂',
    '\ufffd',
    ' space',
    'a b',
    '~',
  ]);
  let drive: Drive;

  before(async () => {
    drive = freshDrive(service.api);
    for (const reply of await Promise.all(names.map((name) => drive.put(name, name))))
      expectStatus(reply, 201);
  });

  async function page(query: Record<string, string | number>, from: Drive = drive): Promise<Page> {
    const reply = await from.list(query);
    expectStatus(reply, 200);
    const found = reply.json<Page>();
    if (found.paging !== undefined) {
      assert.deepEqual(found.paging, { size: found.names.length, last: found.names.at(-1) });
    }
    return found;
  }

  async function all(query: Record<string, string | number>, from: Drive = drive): Promise<string[]> {
    const found: string[] = [];
    let last = '';
    for (let pages = 0; pages < 1000; pages++) {
      const next: Page = await page(last === '' ? query : { ...query, last }, from);
      found.push(...next.names);
      if (next.paging === undefined) return found;
      last = next.paging.last;
    }
    assert.fail('the pages do not end');
  }

  test('a list has all names in the order of their UTF-8 bytes, without paging', async () => {
    expectJson(await drive.list(), 200, { names });
    expectJson(await service.api.send('GET', `${drive.root}/files`), 200, { names });
  });

  test('a page has `paging` only if more names follow', async () => {
    const { length } = names;
    assert.deepEqual((await page({ limit: length - 1 })).paging, {
      size: length - 1,
      last: names[length - 2],
    });
    assert.equal((await page({ limit: length })).paging, undefined);
    assert.equal((await page({ limit: length + 1 })).paging, undefined);
    assert.equal((await page({ limit: 2, prefix: 'a/b/' })).paging, undefined);
    assert.deepEqual((await page({ limit: 1, prefix: 'a/b/' })).paging, { size: 1, last: 'a/b/1' });
  });

  for (const limit of [1, 2, 3, 7, 1000]) {
    test(`all pages of ${limit} together have all names`, async () => {
      assert.deepEqual(await all({ limit }), names);
      assert.deepEqual(
        await all({ limit, prefix: 'a/' }),
        names.filter((name) => name.startsWith('a/')),
      );
    });
  }

  for (const prefix of ['a', 'a/', 'a/b', 'a/b/', 'b', 'é', '🙂', '/', 'd//', 'none', 'a ', ' ', 'A']) {
    test(`the prefix ${JSON.stringify(prefix)} selects the names that begin with it`, async () => {
      expectJson(await drive.list({ prefix }), 200, {
        names: names.filter((name) => name.startsWith(prefix)),
      });
    });
  }

  test('a page begins after `last`, which need not exist', async () => {
    assert.deepEqual((await page({ last: 'a/b' })).names, names.slice(names.indexOf('a/b/1')));
    assert.deepEqual((await page({ last: 'a/b/1' })).names, names.slice(names.indexOf('a/b/1') + 1));
    assert.deepEqual((await page({ last: '🙂' })).names, []);
    assert.deepEqual((await page({ prefix: 'a/', last: 'Z' })).names, await all({ prefix: 'a/' }));
    assert.deepEqual((await page({ prefix: 'a/', last: 'b' })).names, []);
  });

  test('an empty parameter counts as absent', async () => {
    const reply = await service.api.send('GET', `${drive.root}/files?prefix=&last=&recursive=`);
    expectJson(reply, 200, { names });
  });

  test('`limit` is an integer of 1 or more, otherwise the answer is 400; above 1000 it counts as 1000', async () => {
    for (const limit of ['0', '-1', '1.5', 'x', '1e2', ' 1', '0x10', 'NaN', '']) {
      expectErrors(await drive.list({ limit }), 400, /limit/);
    }
    for (const limit of [1000, 1001, 1_000_000, '99999999999999999999']) {
      assert.deepEqual((await page({ limit })).names, names);
    }
  });

  test('a page has at most 1000 names, with and without `limit`', async () => {
    const { api } = service;
    const many = freshDrive(api);
    const made = Array.from({ length: 1001 }, (_, n) => `n${String(n).padStart(4, '0')}`);
    for (let from = 0; from < made.length; from += 100) {
      await Promise.all(made.slice(from, from + 100).map((name) => many.put(name, '')));
    }
    for (const query of [{}, { limit: 1000 }, { limit: 5000 }] as Record<string, number>[]) {
      const found = await page(query, many);
      assert.deepEqual(found.names, made.slice(0, 1000));
      assert.deepEqual(found.paging, { size: 1000, last: 'n0999' });
    }
    assert.deepEqual(await all({}, many), made);
  });

  describe('recursive=false', { concurrency: true }, () => {
    /** The names and directories below a prefix (docs/http.md#list-files): a directory ends with `/` and is listed once. */
    function directories(prefix: string): string[] {
      const cut = names
        .filter((name) => name.startsWith(prefix))
        .map((name) => {
          const slash = name.indexOf('/', prefix.length);
          return slash === -1 ? name : name.slice(0, slash + 1);
        });
      return [...new Set(cut)];
    }

    for (const prefix of ['', 'a', 'a/', 'a/b', 'a/b/', 'b/', 'd/', 'd//', '/', 'é', 'none']) {
      test(`the names and directories under ${JSON.stringify(prefix)} are listed, at once and in pages`, async () => {
        const expected = directories(prefix);
        expectJson(await drive.list({ prefix, recursive: 'false' }), 200, { names: expected });
        for (const limit of [1, 2, 3, 1000]) {
          assert.deepEqual(await all({ prefix, recursive: 'false', limit }), expected, `limit ${limit}`);
        }
      });
    }

    test('a directory with many files counts once in a page', async () => {
      const { api } = service;
      const deep = freshDrive(api);
      await Promise.all(Array.from({ length: 60 }, (_, n) => deep.put(`dir/${n}`, '')));
      await deep.put('dis', '');
      assert.deepEqual(await page({ recursive: 'false', limit: 2 }, deep), { names: ['dir/', 'dis'] });
      assert.deepEqual(await page({ recursive: 'false', limit: 1 }, deep), {
        paging: { size: 1, last: 'dir/' },
        names: ['dir/'],
      });
    });

    test('`recursive` is true or false, otherwise the answer is 400', async () => {
      for (const recursive of ['0', 'no', 'False', 'x'])
        expectErrors(await drive.list({ recursive }), 400, /recursive/);
    });

    test('`recursive` is true by default', async () => {
      expectJson(await drive.list({ recursive: 'true' }), 200, { names });
    });
  });

  test('a directory is listed as long as it has a file', async () => {
    const { api } = service;
    const subject = freshDrive(api);
    await subject.put('dir/a', '');
    await subject.put('dir/b', '');
    await subject.remove(['dir/a']);
    expectJson(await subject.list({ recursive: 'false' }), 200, { names: ['dir/'] });
    await subject.remove(['dir/b']);
    expectJson(await subject.list({ recursive: 'false' }), 200, { names: [] });
  });
});
