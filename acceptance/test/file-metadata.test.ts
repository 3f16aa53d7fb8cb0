import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Drive, freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { publicFilesOf } from './support/public-files.js';
import { useService } from './support/service.js';

type Metadata = Readonly<Record<string, string>>;

/** As HTTP carries it: each byte of UTF-8 is a character. */
const asHeader = (text: string) => Buffer.from(text).toString('latin1');

function headersOf(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [`X-Meta-${name}`, asHeader(value)]),
  );
}

/** The metadata in the headers of an answer. */
function metadataIn({ headers }: Reply): Metadata {
  const found = Object.entries(headers).filter(([name]) => name.startsWith('x-meta-'));
  return Object.fromEntries(
    found.map(([name, value]) => [name.slice(7), Buffer.from(String(value), 'latin1').toString()]),
  );
}

const metadata = { camera: 'Leica M3', place: 'Ærø – 海 😀', 'a.b_c-1': '', percent: '100%25, "x"; y=\\z' };

describe('metadata of files', { concurrency: true }, () => {
  const service = useService();
  const { read: readPublic, set } = publicFilesOf(service);

  async function detailsOf(drive: Drive, name: string) {
    const reply = await drive.list({ details: 'true', prefix: name });
    expectStatus(reply, 200);
    return reply.json<{ files: { etag: string; metadata?: Metadata }[] }>().files[0];
  }

  const change = (drive: Drive, name: string, json: unknown) =>
    service.api.send('PATCH', `${drive.root}/files?name=${name}`, { json });

  test('what Put File and Initialize get is in details, and in every answer of Download File', async () => {
    const drive = freshDrive(service.api);
    const origin = { Origin: 'https://app.example' };
    expectStatus(await drive.put('small', 'bytes', { headers: headersOf(metadata) }), 201);
    expectStatus(
      await drive.put('browser', 'bytes', { headers: { ...headersOf(metadata), ...origin } }),
      201,
    );
    expectStatus(await drive.put('blob', Buffer.alloc(400_000), { headers: headersOf(metadata) }), 201);
    const opened = await service.api.send('POST', `${drive.root}/uploads?name=parts`, {
      headers: headersOf(metadata),
    });
    const { upload_id: id } = opened.json<{ upload_id: string }>();
    for (const part of [1, 2]) {
      const part5 = Buffer.alloc(5 * 1024 * 1024, part);
      // What a part says of the file does not count: Initialize has said it.
      const path = `${drive.root}/uploads/${id}/parts?name=parts&part=${part}`;
      const headers = { 'X-Meta-camera': 'another' };
      expectStatus(await service.api.send('POST', path, { body: part5, headers }), 200);
    }
    expectStatus(await drive.end(id, 'parts'), 200);
    for (const name of ['small', 'browser', 'blob', 'parts']) {
      assert.deepEqual((await detailsOf(drive, name))?.metadata, metadata);
      const whole = await drive.get(name);
      for (const reply of [
        whole,
        await drive.get(name, origin),
        await drive.head(name),
        await drive.get(name, { Range: 'bytes=0-1' }),
        await drive.get(name, { Range: 'bytes=0-0,3-3' }),
        await drive.get(name, { 'If-None-Match': String(whole.headers.etag) }),
      ])
        assert.deepEqual(metadataIn(reply), metadata, `${name} ${reply.status}`);
    }
    expectStatus(await drive.put('small', 'bytes'), 201);
    assert.equal((await detailsOf(drive, 'small'))?.metadata, undefined);
    assert.deepEqual(metadataIn(await drive.get('small')), {});
  });

  test('Change File sets names, takes them away, and gives another ETag only if something changes', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('f', 'bytes', { headers: headersOf({ a: '1', b: '2' }) }), 201);
    const before = await detailsOf(drive, 'f');
    const same = (await change(drive, 'f', { metadata: { a: '1', x: null } })).json<typeof before>();
    assert.deepEqual(same, before);
    const changed = (await change(drive, 'f', { metadata: { a: null, c: 'ü' } })).json<typeof before>();
    assert.deepEqual(changed?.metadata, { b: '2', c: 'ü' });
    assert.notEqual(changed?.etag, before?.etag);
    assert.deepEqual(await detailsOf(drive, 'f'), changed);
    const typed = (await change(drive, 'f', { content_type: 'x/y' })).json<typeof before>();
    assert.deepEqual(typed?.metadata, { b: '2', c: 'ü' });
    const none = (await change(drive, 'f', { metadata: null })).json<typeof before>();
    assert.equal(none?.metadata, undefined);
  });

  test('moves and copies keep it, whatever the size', async () => {
    const drive = freshDrive(service.api);
    for (const bytes of [1, 400_000]) {
      expectStatus(await drive.put('f', Buffer.alloc(bytes), { headers: headersOf(metadata) }), 201);
      for (const how of ['copy', 'move']) {
        const files = [{ from: 'f', to: how }];
        const json = { files, overwrite: true };
        expectStatus(await service.api.send('POST', `${drive.root}/files/${how}`, { json }), 200);
        assert.deepEqual((await detailsOf(drive, how))?.metadata, metadata);
      }
    }
  });

  test('what breaks a rule is refused, says why, and stores nothing', async () => {
    const drive = freshDrive(service.api);
    const refused = async (headers: Record<string, string>, message: RegExp) => {
      expectErrors(await drive.put('f', 'bytes', { headers }), 400, message);
      const path = `${drive.root}/uploads?name=f`;
      expectErrors(await service.api.send('POST', path, { headers }), 400, message);
    };
    await refused({ 'X-Meta-c!': 'x' }, /^X-Meta-c!: its name must be a-z/);
    await refused({ 'X-Meta-': 'x' }, /^X-Meta-: its name/);
    await refused({ 'X-Meta-__proto__': 'x' }, /its name/);
    await refused({ 'X-Meta-a': 'b\xff' }, /^X-Meta-a: must be UTF-8/);
    await refused({ 'X-Meta-a': asHeader('b\u0085') }, /^X-Meta-a: must not hold control characters/);
    await refused({ 'X-Meta-a': 'b\tc' }, /^X-Meta-a: must not hold control characters/);
    const names = Array.from({ length: 65 }, (_, n) => [`n${n}`, '']);
    await refused(headersOf(Object.fromEntries(names)), /^metadata: must have at most 64 names/);
    await refused(headersOf({ a: 'é'.repeat(1024) }), /at most 2048 bytes of UTF-8 together, have 2049/);
    expectJson(await drive.list(), 200, { names: [] });
    const most = { ab: 'é'.repeat(1023) };
    expectStatus(await drive.put('f', 'bytes', { headers: headersOf(most) }), 201);
    assert.deepEqual(metadataIn(await drive.get('f')), most);
    for (const [value, message] of [
      [{ metadata: 'x' }, /^metadata: must be an object or null/],
      [{ metadata: { A: 'x' } }, /^metadata\.A: its name/],
      [{ metadata: { a: 1 } }, /^metadata\.a: must be a string or null/],
      [{ metadata: { a: ' x' } }, /^metadata\.a: must not begin or end with a space/],
      [{ metadata: { a: 'x\ny' } }, /^metadata\.a: must not hold control/],
      [{ metadata: { b: 'x' } }, /at most 2048 bytes/],
    ] as const)
      expectErrors(await change(drive, 'f', value), 400, message);
    assert.deepEqual((await detailsOf(drive, 'f'))?.metadata, most);
  });

  test('a header that is given twice is one value, as HTTP says; their names have no case', async () => {
    const drive = freshDrive(service.api);
    const headers = { 'X-Meta-Tag': ['one', 'two'], 'x-MeTa-UP': '1' } as unknown as Record<string, string>;
    expectStatus(await drive.put('f', 'bytes', { headers }), 201);
    assert.deepEqual((await detailsOf(drive, 'f'))?.metadata, { tag: 'one, two', up: '1' });
  });

  test('a page of another origin may send it and read it', async () => {
    const drive = freshDrive(service.api);
    const asked = 'x-api-key, X-Meta-Camera,x-meta-(bad), x-other';
    const preflight = await service.api.send('OPTIONS', `${drive.root}/files?name=f`, {
      key: null,
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': asked,
      },
    });
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ');
    assert.ok(allowed.includes('X-API-Key') && allowed.includes('X-Meta-Camera'), `${allowed}`);
    assert.ok(!allowed.some((name) => /bad|other/.test(name)), `${allowed}`);
    expectStatus(await drive.put('f', 'bytes', { headers: headersOf({ camera: 'x' }) }), 201);
    const reply = await drive.get('f', { Origin: 'https://app.example' });
    const exposed = String(reply.headers['access-control-expose-headers']).split(', ');
    assert.ok(exposed.includes('ETag') && exposed.includes('X-Meta-camera'), `${exposed}`);
  });

  test('links and public files tell it, but links do not take it', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('f', 'bytes', { headers: headersOf({ a: 'told' }) }), 201);
    const link = async (method: string, name: string) => {
      const json = { method, name, expires_in: 60, ...(method === 'POST' && { max_bytes: 100 }) };
      const reply = await service.api.send('POST', `${drive.root}/links`, { json });
      return new URL(reply.json<{ links: { url: string }[] }>().links[0]?.url ?? '').pathname;
    };
    const read = await service.api.send('GET', await link('GET', 'f'), { key: null });
    assert.equal(read.text, 'bytes');
    assert.deepEqual(metadataIn(read), { a: 'told' });
    expectStatus(await set(drive, { prefixes: ['site/'] }), 200);
    expectStatus(await drive.put('site/f', 'bytes', { headers: headersOf({ a: 'told' }) }), 201);
    const open = await readPublic(drive, 'site/f');
    assert.deepEqual([open.text, metadataIn(open)], ['bytes', { a: 'told' }]);
    const headers = headersOf({ a: 'x' });
    const stored = await service.api.send('POST', await link('POST', 'g'), { key: null, headers, body: 'x' });
    expectStatus(stored, 201);
    assert.equal((await detailsOf(drive, 'g'))?.metadata, undefined);
  });
});
