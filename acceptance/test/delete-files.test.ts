import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drive, freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { useService } from './support/service.js';

describe('Delete Files', { concurrency: true }, () => {
  const service = useService();

  async function withFiles(...names: string[]): Promise<Drive> {
    const drive = freshDrive(service.api);
    for (const reply of await Promise.all(names.map((name) => drive.put(name, name))))
      expectStatus(reply, 201);
    return drive;
  }

  test('the answer lists the deleted names, and `failed` is {} if none has failed', async () => {
    const drive = await withFiles('a', 'b/c', 'd');
    expectJson(await drive.remove(['b/c', 'a']), 200, { deleted: ['b/c', 'a'], failed: {} });
    expectJson(await drive.list(), 200, { names: ['d'] });
    expectErrors(await drive.get('a'), 404);
  });

  test('missing names are reported as deleted', async () => {
    const drive = await withFiles('a');
    expectJson(await drive.remove(['none', 'a', 'nor/this']), 200, {
      deleted: ['none', 'a', 'nor/this'],
      failed: {},
    });
  });

  test('the name of a directory deletes none of its files', async () => {
    const drive = await withFiles('dir/a');
    expectJson(await drive.remove(['dir', '*', 'dir/*']), 200, {
      deleted: ['dir', '*', 'dir/*'],
      failed: {},
    });
    expectJson(await drive.list(), 200, { names: ['dir/a'] });
  });

  test('an invalid name fails as "invalid name", and the others are deleted', async () => {
    const drive = await withFiles('a', 'b');
    const bad = ['', ' ', 'a/', 'x\u0000', 'n'.repeat(1025)];
    const failed = Object.fromEntries(bad.map((name) => [name, 'invalid name']));
    expectJson(await drive.remove(['a', ...bad, 'b']), 200, { deleted: ['a', 'b'], failed });
    expectJson(await drive.list(), 200, { names: [] });
  });

  test('a request with only invalid names is answered with 400', async () => {
    const drive = await withFiles('a');
    expectErrors(await drive.remove(['']), 400, /name/);
    expectErrors(await drive.remove(['a/', '\n', ' ']), 400, /name/);
  });

  test('a request has 1 to 1000 names; otherwise it is answered with 400 and deletes nothing', async () => {
    const drive = await withFiles('n0', 'n999');
    const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
    expectErrors(await drive.remove([]), 400, /names/);
    expectErrors(await drive.remove(names(1001)), 400, /names.*1000/);
    expectJson(await drive.list(), 200, { names: ['n0', 'n999'] });
    expectJson(await drive.remove(names(1000)), 200, { deleted: names(1000), failed: {} });
    expectJson(await drive.list(), 200, { names: [] });
  });

  test('a thousand names may have invalid ones among them', async () => {
    const drive = await withFiles('n1', 'n500', 'n997');
    const names = Array.from({ length: 1000 }, (_, n) => (n % 7 === 0 ? `bad${n}/` : `n${n}`));
    const good = names.filter((name) => !name.endsWith('/'));
    const failed = Object.fromEntries(
      names.filter((name) => name.endsWith('/')).map((name) => [name, 'invalid name']),
    );
    expectJson(await drive.remove(names), 200, { deleted: good, failed });
    expectJson(await drive.list(), 200, { names: [] });
  });

  test('a thousand names may have the maximum length', async () => {
    const drive = await withFiles();
    const names = Array.from({ length: 1000 }, (_, n) => `${n}-`.padEnd(1024, 'x'));
    expectJson(await drive.remove(names), 200, { deleted: names, failed: {} });
  });

  test('a body of more than 8 MiB is answered with 413 and a page', async () => {
    const drive = await withFiles('a');
    const body = `{"names":["a"]}${' '.repeat(8 * 1024 * 1024)}`;
    expectTooLargePage(
      await service.api.send('DELETE', `${drive.root}/files`, { body, type: 'application/json' }),
    );
    expectJson(await drive.list(), 200, { names: ['a'] });
  });

  test('names of prototype properties are ordinary names', async () => {
    const drive = await withFiles('__proto__', 'constructor');
    const names = ['__proto__', 'constructor', 'toString'];
    expectJson(await drive.remove(names), 200, { deleted: names, failed: {} });
    const reply = await service.api.send('DELETE', `${drive.root}/files`, {
      body: '{"names":["a","__proto__/"]}',
      type: 'application/json',
    });
    expectStatus(reply, 200);
    assert.equal(reply.text, '{"deleted":["a"],"failed":{"__proto__/":"invalid name"}}');
  });

  test('a name may be in the request twice', async () => {
    const drive = await withFiles('a');
    const reply = await drive.remove(['a', 'a']);
    expectJson(reply, 200, { deleted: ['a'], failed: {} });
    expectJson(await drive.list(), 200, { names: [] });
  });

  test('`names` must be a list of strings', async () => {
    const drive = await withFiles('a');
    for (const names of [undefined, null, 'a', {}, 1, true, ['a', 1], ['a', null], [['a']], [{}]]) {
      expectErrors(await drive.remove(names), 400, /names/);
    }
    expectJson(await drive.list(), 200, { names: ['a'] });
  });

  test('the body must be JSON in UTF-8 with its content type', async () => {
    const drive = await withFiles('a');
    const path = `${drive.root}/files`;
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"a"',
      '['.repeat(100_000),
      '{"names":["a"]}x',
      Buffer.from('{"names":["\xff"]}', 'latin1'),
    ];
    for (const body of bodies) {
      expectErrors(await service.api.send('DELETE', path, { body, type: 'application/json' }), 400);
    }
    expectErrors(await service.api.send('DELETE', path), 400);
    expectErrors(
      await service.api.send('DELETE', path, { body: '{"names":["a"]}', type: 'text/plain' }),
      415,
    );
    const lone = await service.api.send('DELETE', path, {
      body: '{"names":["\\ud800"]}',
      type: 'application/json',
    });
    expectErrors(lone, 400, /name/);
    expectJson(await drive.list(), 200, { names: ['a'] });
  });
});
