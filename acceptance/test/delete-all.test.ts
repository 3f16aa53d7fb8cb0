import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Base, type Drive, freshBase, freshDrive, freshName, openUpload } from '../src/names.js';
import { openStoredTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const itemsPerPut = 25;
const pastSeconds = 1;

interface Page {
  readonly paging: { readonly last?: string };
  readonly items: readonly { readonly key: string; readonly n: number }[];
}

// On disk, where a batch takes time and others arrive in the meantime.
describe('deleting everything', { concurrency: true }, () => {
  const service = useService(openStoredTarget);
  const deleteItems = (base: Base, query = '?all=true') =>
    service.api.send('DELETE', `${base.root}/items${query}`);
  const deleteFiles = (drive: Drive, query = '?all=true') =>
    service.api.send('DELETE', `${drive.root}/files${query}`);
  const deletedBy = (reply: Reply) => {
    expectStatus(reply, 200);
    return reply.json<{ deleted: number }>().deleted;
  };

  async function fill(base: Base, count: number): Promise<void> {
    const items = Array.from({ length: count }, (_, n) => ({ key: `k${n}`, n }));
    for (let at = 0; at < count; at += itemsPerPut) {
      expectStatus(await base.put(...items.slice(at, at + itemsPerPut)), 207);
    }
  }

  async function keysOf(base: Base): Promise<string[]> {
    const keys: string[] = [];
    let last: string | undefined;
    do {
      const page: Page = (await base.query({ last: last ?? null })).json();
      keys.push(...page.items.map(({ key }) => key));
      last = page.paging.last;
    } while (last !== undefined);
    return keys;
  }

  test('all items of a base are deleted, in several batches, and counted', async () => {
    const base = freshBase(service.api);
    await fill(base, 1201);
    expectJson(await deleteItems(base), 200, { deleted: 1201 });
    expectJson(await base.query({}), 200, { paging: { size: 0 }, items: [] });
    expectJson(await base.get('k7'), 404, { key: 'k7' });
    expectJson(await deleteItems(base), 200, { deleted: 0 });
    expectStatus(await base.put({ key: 'k7', n: 7 }), 207);
    expectJson(await base.get('k7'), 200, { key: 'k7', n: 7 });
  });

  test('large items are deleted, too', async () => {
    const base = freshBase(service.api);
    const text = 'x'.repeat(390 * 1024);
    for (let n = 0; n < 6; n++) expectStatus(await base.put({ key: `k${n}`, text }), 207);
    expectJson(await deleteItems(base), 200, { deleted: 6 });
    assert.deepEqual(await keysOf(base), []);
  });

  test('expired items are deleted and do not count', async () => {
    const base = freshBase(service.api);
    const items = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? { key: `k${n}` } : { key: `k${n}`, __expires: pastSeconds },
    );
    expectStatus(await base.put(...items), 207);
    expectJson(await deleteItems(base), 200, { deleted: 10 });
  });

  test('a base or drive that was never written holds nothing to delete', async () => {
    expectJson(await deleteItems(freshBase(service.api)), 200, { deleted: 0 });
    expectJson(await deleteFiles(freshDrive(service.api)), 200, { deleted: 0 });
  });

  test('bases and drives of other names, and the drive of the same name, stay as they are', async () => {
    const { api } = service;
    const name = freshName('all');
    const others = [`${name}0`, `${name}/`, `${name} `, name.slice(0, -1)];
    for (const one of [name, ...others]) {
      expectStatus(await freshBase(api, one).put({ key: 'k', n: 1 }), 207);
      expectStatus(await freshDrive(api, one).put('f', one), 201);
    }
    expectJson(await deleteItems(freshBase(api, name)), 200, { deleted: 1 });
    assert.equal((await freshDrive(api, name).get('f')).text, name);
    expectJson(await deleteFiles(freshDrive(api, name)), 200, { deleted: 1 });
    for (const one of others) {
      expectJson(await freshBase(api, one).get('k'), 200, { key: 'k', n: 1 });
      assert.equal((await freshDrive(api, one).get('f')).text, one);
    }
  });

  test('all files of a drive are deleted, whatever their size, and uploads stay open', async () => {
    const drive = freshDrive(service.api);
    const uploadId = await openUpload(drive, 'later');
    expectStatus(await drive.part(uploadId, 'later', 1, Buffer.from('part')), 200);
    expectStatus(await drive.put('large', Buffer.alloc(3_000_000)), 201);
    for (let n = 0; n < 30; n++) expectStatus(await drive.put(`dir/${n}`, `file ${n}`), 201);
    expectJson(await deleteFiles(drive), 200, { deleted: 31 });
    expectJson(await drive.list(), 200, { names: [] });
    expectErrors(await drive.get('large'), 404);
    expectJson(await deleteFiles(drive), 200, { deleted: 0 });
    expectStatus(await drive.end(uploadId, 'later'), 200);
    assert.equal((await drive.get('later')).text, 'part');
  });

  test('a body does not matter', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await base.put({ key: 'k' });
    await drive.put('a', 'a');
    await drive.put('b', 'b');
    const sent = { body: '{"names":["a"]}', type: 'text/plain' };
    expectJson(await api.send('DELETE', `${base.root}/items?all=true`, sent), 200, { deleted: 1 });
    expectJson(await api.send('DELETE', `${drive.root}/files?all=true`, sent), 200, { deleted: 2 });
  });

  test('without `all`, DELETE of items is answered with 405, and DELETE of files needs names', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await base.put({ key: 'k' });
    await drive.put('f', 'x');
    for (const query of ['', '?', '?all', '?all=', '?all=false', '?All=true', '?prefix=all']) {
      const refused = await deleteItems(base, query);
      expectErrors(refused, 405);
      assert.equal(refused.headers.allow, 'GET, PUT, POST, HEAD, OPTIONS', query);
      expectStatus(await api.send('DELETE', `${base.root}/items${query}`, { key: null }), 405);
      expectErrors(await deleteFiles(drive, query), 400);
      const named = { json: { names: ['other'] } };
      expectJson(await api.send('DELETE', `${drive.root}/files${query}`, named), 200, {
        deleted: ['other'],
        failed: {},
      });
    }
    expectStatus(await base.get('k'), 200);
    expectStatus(await drive.get('f'), 200);
  });

  test('any other `all` is answered with 400 and deletes nothing', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await base.put({ key: 'k' });
    await drive.put('f', 'x');
    for (const text of [
      'True',
      'TRUE',
      '1',
      'yes',
      '%20true',
      'true%00',
      'f',
      '0',
      '%ff',
      'x'.repeat(8000),
    ]) {
      expectErrors(await deleteItems(base, `?all=${text}`), 400, /^all: /);
      expectErrors(await deleteFiles(drive, `?all=${text}`), 400, /^all: /);
    }
    // Of several, the first counts.
    expectErrors(await deleteItems(base, '?all=yes&all=true'), 400, /^all: /);
    expectStatus(await base.get('k'), 200);
    expectStatus(await drive.get('f'), 200);
  });

  test('without the key of the project, nothing is deleted', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await base.put({ key: 'k' });
    await drive.put('f', 'x');
    for (const key of [null, service.target.otherKey, `${service.target.project}_wrong`]) {
      const refused = { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] };
      expectJson(await api.send('DELETE', `${base.root}/items?all=true`, { key }), 401, refused);
      expectJson(await api.send('DELETE', `${drive.root}/files?all=true`, { key }), 401, refused);
    }
    expectStatus(await base.get('k'), 200);
    expectStatus(await drive.get('f'), 200);
  });

  test('every item that writers insert meanwhile is deleted once or still there', async () => {
    const base = freshBase(service.api);
    await fill(base, 1500);
    let inserted = 1500;
    let writing = true;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        expectStatus(await base.insert({ key: `k${(n * 7919) % 1500}-${writer}-${n}`, n }), 201);
        inserted++;
      }
    });
    const answers = await Promise.all([0, 1, 2].map(() => deleteItems(base)));
    writing = false;
    await Promise.all(writers);
    const left = await keysOf(base);
    const deleted = answers.map(deletedBy).reduce((sum, count) => sum + count);
    assert.ok(deleted >= 1500, `${deleted} deleted`);
    assert.equal(deleted + left.length, inserted);
    assert.ok(left.every((key) => key.includes('-')));
  });

  test('who reads meanwhile sees a base that shrinks, and each item whole', async () => {
    const base = freshBase(service.api);
    await fill(base, 1500);
    let isOver = false;
    const sizes: number[] = [];
    const reading = (async () => {
      while (!isOver) {
        const { items } = (await base.query({})).json<Page>();
        for (const item of items) assert.equal(item.key, `k${item.n}`);
        sizes.push(items.length);
      }
    })();
    expectJson(await deleteItems(base), 200, { deleted: 1500 });
    isOver = true;
    await reading;
    assert.deepEqual(
      sizes,
      [...sizes].sort((a, b) => b - a),
    );
  });

  test('files that are put meanwhile are deleted once or still there, with their bytes', async () => {
    const drive = freshDrive(service.api);
    for (let n = 0; n < 60; n++) expectStatus(await drive.put(`f${n}`, `file f${n}`), 201);
    let put = 60;
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const name = `f${n % 60}-${writer}-${n}`;
        expectStatus(await drive.put(name, `file ${name}`), 201);
        put++;
      }
    });
    const answers = await Promise.all([0, 1].map(() => deleteFiles(drive)));
    writing = false;
    await Promise.all(writers);
    const { names } = (await drive.list()).json<{ names: string[] }>();
    const deleted = answers.map(deletedBy).reduce((sum, count) => sum + count);
    assert.equal(deleted + names.length, put);
    for (const name of names) assert.equal((await drive.get(name)).text, `file ${name}`);
  });
});
