import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Basedrive, type Drive, type FileDetails } from '../../src/in-node.js';
import { freshName, key, useService } from '../support/service.js';

describe('the files of a drive', { concurrency: true }, () => {
  const service = useService();
  const open = (): Drive => Basedrive(key, { url: service.url }).Drive(freshName());

  test('files gives the details of every file, over several pages', async () => {
    const drive = open();
    const names = Array.from({ length: 1001 }, (_, n) => `f${String(n).padStart(4, '0')}.txt`);
    await Promise.all(names.map((name) => drive.put(name, name)));
    const found: FileDetails[] = [];
    for await (const file of drive.files()) found.push(file);
    assert.deepEqual(
      found.map(({ name }) => name),
      names,
    );
    const file = await drive.get('f1000.txt');
    const modified = Number(file?.lastModified) / 1000;
    assert.deepEqual(found[1000], {
      name: 'f1000.txt',
      size: 9,
      content_type: 'text/plain',
      modified,
      etag: file?.etag,
    });
    const { files } = await drive.list({ details: true, limit: 1 });
    assert.deepEqual(files, [found[0]]);
  });

  test('files come in an order, and only those that contain a text, over several pages', async () => {
    const drive = open();
    const sizes = Array.from({ length: 30 }, (_, n) => (n * 7) % 10);
    for (const [n, size] of sizes.entries()) await drive.put(`f${n}.${n % 3}`, 'x'.repeat(size));
    const found: number[] = [];
    const pages = { order: '-size', contains: '.1', limit: 4 } as const;
    for await (const { size = 0 } of drive.files(pages)) found.push(size);
    const expected = sizes.filter((_, n) => n % 3 === 1).sort((a, b) => b - a);
    assert.deepEqual(found, expected);
    const first = await drive.list({ order: 'size', limit: 1 });
    assert.deepEqual(first.names, ['f0.0']);
    await assert.rejects(drive.list({ order: 'name', last: first.paging?.last }), { status: 400 });
  });

  test('put with a condition stores only if it holds, in one request and in parts', async () => {
    const drive = open();
    const large = new Uint8Array(16 * 1024 * 1024);
    const refused = { code: 'condition_failed', status: 412 };
    for (const data of ['small', large]) {
      await drive.put('f', data, { ifNoneMatch: '*' });
      await assert.rejects(drive.put('f', data, { ifNoneMatch: '*' }), refused);
      const etag = (await drive.list({ details: true })).files?.[0]?.etag;
      assert.ok(etag);
      await drive.put('f', data, { ifMatch: etag });
      await assert.rejects(drive.put('f', data, { ifMatch: etag }), refused);
      await drive.delete('f');
      await assert.rejects(drive.put('f', data, { ifMatch: '*' }), refused);
    }
    assert.deepEqual(await drive.list(), { names: [] });
  });

  test('metadata of any text comes back, from one request and from parts, and changes', async () => {
    const drive = open();
    const metadata = { camera: 'Leica M3', place: 'Ærø – 海 😀', percent: '100%', empty: '' };
    for (const [name, data] of [
      ['small', 'small'],
      ['large', new Uint8Array(16 * 1024 * 1024)],
    ] as const) {
      await drive.put(name, data, { metadata });
      assert.deepEqual((await drive.get(name))?.metadata, metadata);
      const changed = await drive.change(name, { metadata: { place: null, stars: '5' } });
      const { place, ...kept } = metadata;
      assert.deepEqual(changed?.metadata, { ...kept, stars: '5' });
      assert.equal((await drive.change(name, { metadata: null }))?.metadata, undefined);
      assert.deepEqual((await drive.get(name))?.metadata, {});
    }
    const refused = { code: 'refused', status: 400 };
    await assert.rejects(drive.put('small', 'x', { metadata: { long: 'x'.repeat(2048) } }), refused);
    // In a header it would lose them without a word.
    for (const spaced of [' x', 'x ']) {
      await assert.rejects(drive.put('spaced', 'x', { metadata: { note: spaced } }), {
        code: 'invalid',
        message: 'metadata.note: must not begin or end with a space',
      });
    }
    assert.equal(await drive.get('spaced'), null);
  });

  test('move and copy transfer all files or none, and give their number', async () => {
    const drive = open();
    for (const name of ['a', 'b']) await drive.put(name, name);
    assert.equal(await drive.move([{ from: 'a', to: 'x/a' }]), 1);
    const copies = [
      { from: 'x/a', to: 'a' },
      { from: 'b', to: 'x/b' },
    ];
    assert.equal(await drive.copy(new Set(copies)), 2);
    assert.deepEqual((await drive.list()).names, ['a', 'b', 'x/a', 'x/b']);
    assert.equal(await (await drive.get('a'))?.text(), 'a');
    await assert.rejects(drive.copy(copies), { code: 'conflict', status: 409 });
    assert.equal(await drive.copy(copies, { overwrite: true }), 2);
    await assert.rejects(drive.move([{ from: 'no', to: 'n' }]), { code: 'not_found', status: 404 });
  });

  test('uploads gives the open uploads, and upload the parts of one', async () => {
    const name = freshName();
    const drive = Basedrive(key, { url: service.url }).Drive(name);
    const found: unknown[] = [];
    for await (const upload of drive.uploads()) found.push(upload);
    assert.equal(found.length, 0);
    const root = `${service.url}/v1/${key.split('_')[0]}/${name}/uploads`;
    const opened = await fetch(`${root}?name=f`, { method: 'POST', headers: { 'X-API-Key': key } });
    const { upload_id } = (await opened.json()) as { upload_id: string };
    for await (const upload of drive.uploads()) found.push(upload);
    assert.deepEqual(found, [{ upload_id, name: 'f' }]);
    assert.deepEqual(await drive.upload('f', upload_id), { upload_id, name: 'f', parts: [] });
    assert.equal(await drive.upload('g', upload_id), null);
  });

  test('files expire, and change says when', async () => {
    const drive = open();
    const expireAt = 4_102_444_800;
    await drive.put('a', 'a', { expireAt });
    await drive.put('large', new Uint8Array(16 * 1024 * 1024), { expireAt: new Date(expireAt * 1000) });
    for await (const { expires } of drive.files()) assert.equal(expires, expireAt);
    const changed = await drive.change('a', { expireAt: null, contentType: 'text/x' });
    assert.deepEqual([changed?.content_type, changed?.expires], ['text/x', undefined]);
    assert.equal(await drive.change('b', { expireAt }), null);
    await drive.change('large', { expireAt: 1 });
    assert.deepEqual(await drive.list(), { names: ['a'] });
    await drive.put('b', 'b', { expireIn: -10 });
    assert.equal(await drive.get('b'), null);
  });
});
