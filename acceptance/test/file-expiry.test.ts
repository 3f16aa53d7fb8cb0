import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drive, freshDrive, openUpload } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const past = 1;
const future = 4_102_444_800;

interface Details {
  readonly name: string;
  readonly etag: string;
  readonly content_type: string;
  readonly modified: number;
  readonly expires?: number;
}

describe('files that expire', { concurrency: true }, () => {
  const service = useService();
  const put = (drive: Drive, name: string, expires: number | string, bytes: string | Buffer = 'bytes') =>
    service.api.send('POST', `${drive.root}/files?name=${name}&expires=${expires}`, { body: bytes });
  const change = (drive: Drive, name: string, json: unknown) =>
    service.api.send('PATCH', `${drive.root}/files?name=${name}`, { json });
  const detailsOf = async (drive: Drive) =>
    (await drive.list({ details: 'true' })).json<{ files: Details[] }>().files;
  const transfer = (drive: Drive, path: string, from: string, to: string) =>
    service.api.send('POST', `${drive.root}/files/${path}`, { json: { files: [{ from, to }] } });

  for (const size of [5, 300_000]) {
    test(`a file of ${size} bytes is gone for every operation from its second on`, async () => {
      const drive = freshDrive(service.api);
      expectStatus(await put(drive, 'dir/gone', past, Buffer.alloc(size)), 201);
      expectErrors(await drive.get('dir/gone'), 404, /^File not found$/);
      expectStatus(await drive.head('dir/gone'), 404);
      expectJson(await drive.list(), 200, { names: [] });
      expectJson(await drive.list({ details: 'true' }), 200, { names: [], files: [] });
      expectJson(await drive.list({ recursive: 'false' }), 200, { names: [] });
      expectJson(await service.api.send('GET', `${drive.root}/stats`), 200, {
        base: { items: 0, bytes: 0, exact: true },
        drive: { files: 0, bytes: 0, exact: true },
      });
      const drives = await service.api.send(
        'GET',
        `/v1/${service.target.project}/drives?prefix=${drive.name}`,
      );
      expectJson(drives, 200, { drives: [] });
      expectErrors(await transfer(drive, 'move', 'dir/gone', 'x'), 404);
      expectErrors(await transfer(drive, 'copy', 'dir/gone', 'x'), 404);
      expectErrors(await change(drive, 'dir/gone', { expires: null }), 404, /^File not found$/);
      expectJson(await service.api.send('DELETE', `${drive.root}/files?all=true`), 200, { deleted: 0 });
      expectStatus(await put(drive, 'dir/gone', past), 201);
      const match = { headers: { 'If-Match': '*' } };
      expectErrors(await drive.put('dir/gone', 'x', match), 412);
      expectStatus(await drive.put('dir/gone', 'new', { headers: { 'If-None-Match': '*' } }), 201);
      assert.equal((await drive.get('dir/gone')).text, 'new');
    });
  }

  test('an expired file does not keep its name from a moved, copied or uploaded one', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('a', 'a'), 201);
    for (const path of ['copy', 'move']) {
      expectStatus(await put(drive, path, past), 201);
      expectStatus(await transfer(drive, path, 'a', path), 200);
      assert.equal((await drive.get(path)).text, 'a');
    }
    expectStatus(await put(drive, 'end', past), 201);
    const id = await openUpload(drive, 'end');
    const headers = { 'If-None-Match': '*' };
    expectStatus(await service.api.send('PATCH', `${drive.root}/uploads/${id}?name=end`, { headers }), 200);
  });

  test('an upload makes a file that expires; a later put makes one that does not', async () => {
    const drive = freshDrive(service.api);
    for (const [name, expires] of [
      ['late', future],
      ['gone', past],
    ] as const) {
      const opened = await service.api.send('POST', `${drive.root}/uploads?name=${name}&expires=${expires}`);
      const { upload_id } = opened.json<{ upload_id: string }>();
      expectStatus(await drive.part(upload_id, name, 1, Buffer.from('part')), 200);
      expectStatus(await drive.end(upload_id, name), 200);
    }
    assert.deepEqual(
      (await detailsOf(drive)).map(({ name, expires }) => [name, expires]),
      [['late', future]],
    );
    expectStatus(await drive.put('late', 'again'), 201);
    assert.equal((await detailsOf(drive))[0]?.expires, undefined);
  });

  test('moved and copied files expire as before', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await put(drive, 'a', future), 201);
    expectStatus(await transfer(drive, 'copy', 'a', 'b'), 200);
    expectStatus(await transfer(drive, 'move', 'a', 'c'), 200);
    assert.deepEqual(
      (await detailsOf(drive)).map(({ name, expires }) => [name, expires]),
      [
        ['b', future],
        ['c', future],
      ],
    );
  });

  test('a change sets, changes and removes the expiry and the content type, and answers the details', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('a', 'bytes', { type: 'text/plain' }), 201);
    const [before] = await detailsOf(drive);
    expectJson(await change(drive, 'a', { expires: future }), 200, { ...before, expires: future });
    const typed = (await change(drive, 'a', { content_type: 'text/html' })).json<Details>();
    assert.deepEqual(
      { ...typed, etag: before?.etag },
      { ...before, content_type: 'text/html', expires: future },
    );
    assert.notEqual(typed.etag, before?.etag);
    const got = await drive.get('a', { 'If-None-Match': String(before?.etag) });
    assert.deepEqual(
      [got.status, got.headers['content-type'], got.headers.etag],
      [200, 'text/html', typed.etag],
    );
    expectStatus(await drive.get('a', { 'If-None-Match': typed.etag }), 304);
    expectJson(await change(drive, 'a', { expires: null }), 200, {
      ...before,
      content_type: 'text/html',
      etag: typed.etag,
    });
    expectStatus(await change(drive, 'a', { expires: past }), 200);
    expectErrors(await drive.get('a'), 404);
  });

  test('what is wrong is named', async () => {
    const drive = freshDrive(service.api);
    for (const expires of ['x', '-1', '1.5', '1e3', '9'.repeat(20)]) {
      expectErrors(await put(drive, 'a', expires), 400, /^expires: must be whole seconds since 1970 UTC$/);
      const path = `${drive.root}/uploads?name=a&expires=${expires}`;
      expectErrors(await service.api.send('POST', path), 400, /^expires: /);
    }
    expectJson(await drive.list(), 200, { names: [] });
    expectStatus(await put(drive, 'a', ''), 201);
    const bad: readonly (readonly [unknown, RegExp])[] = [
      [[], /^body: must be a JSON object$/],
      [{}, /^body: must have expires, expires_in, content_type or metadata$/],
      [{ expires: 'x' }, /^expires: must be whole seconds since 1970 UTC or null$/],
      [{ expires: -1 }, /^expires: /],
      [{ expires: 1.5 }, /^expires: /],
      [{ content_type: '' }, /^content_type: must be a text of 1 to 255 printable ASCII characters$/],
      [{ content_type: 'a\r\nb: c' }, /^content_type: /],
      [{ content_type: null }, /^content_type: /],
      [{ expire: 1 }, /^expire: is not a member of this request$/],
    ];
    for (const [json, message] of bad) expectErrors(await change(drive, 'a', json), 400, message);
    expectErrors(await change(drive, '', { expires: 1 }), 400, /^name: /);
    expectErrors(await change(drive, 'b', { expires: 1 }), 404, /^File not found$/);
  });

  test('expiry against download: every download is whole or finds nothing, and none that begins later finds the file', async () => {
    for (const size of [5000, 3_000_000]) {
      const drive = freshDrive(service.api);
      const bytes = Buffer.alloc(size, 'expiring');
      expectStatus(await put(drive, 'f', future, bytes), 201);
      let isExpired = false;
      let downloads = 0;
      let noteTwelfth = () => {};
      const twelfth = new Promise<void>((resolve) => {
        noteTwelfth = resolve;
      });
      const readers = Promise.all(
        Array.from({ length: 6 }, async () => {
          for (;;) {
            const wasExpired = isExpired;
            const reply = await drive.get('f');
            if (reply.status === 404) return;
            expectStatus(reply, 200);
            assert.ok(!wasExpired, 'the file was found after its expiry');
            assert.ok(reply.body.equals(bytes), `${reply.body.length} of ${size} bytes`);
            downloads++;
            if (downloads === 12) noteTwelfth();
          }
        }),
      );
      await Promise.race([twelfth, readers]);
      expectStatus(await change(drive, 'f', { expires: past }), 200);
      isExpired = true;
      await readers;
    }
  });
});
