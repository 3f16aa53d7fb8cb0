import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshDrive, openUpload } from '../src/names.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { createKey, deleteKey } from './support/keys.js';
import { linksOf } from './support/links.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;

/** docs/http.md#links-for-parts */
describe('links for uploads in parts', { concurrency: true }, () => {
  const service = useService();
  const { create, writeLink, linkOf, use } = linksOf(service);
  const open = async (url: string, options = {}) => {
    const reply = await use('POST', `${url}/uploads`, options);
    expectStatus(reply, 202);
    return reply.json<{ upload_id: string }>().upload_id;
  };
  const part = (url: string, id: string, n: number, body: Buffer) =>
    service.api.send('POST', `${new URL(url).pathname}/uploads/${id}/parts?part=${n}`, { key: null, body });
  const ofParts = { parts: true, max_bytes: 12 * mib };

  test('a file of several parts is stored with nothing but the link, and goes on after a reload', async () => {
    const { target } = service;
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'in/film.mp4', ofParts);
    const id = await open(url);
    expectStatus(await part(url, id, 1, Buffer.alloc(5 * mib, 'a')), 200);
    // The page was reloaded: it has only the link.
    assert.equal(await open(url), id);
    const found = await use('GET', `${url}/uploads/${id}`);
    expectJson(found, 200, { upload_id: id, name: 'in/film.mp4', parts: [{ part: 1, size: 5 * mib }] });
    const stored = await part(url, id, 2, Buffer.from('end'));
    const about = { name: 'in/film.mp4', upload_id: id, project_id: target.project, drive_name: drive.name };
    expectJson(stored, 200, { part: 2, ...about });
    expectJson(await use('PATCH', `${url}/uploads/${id}`), 200, about);
    const file = await drive.get('in/film.mp4');
    assert.equal(file.body.length, 5 * mib + 3);
    assert.equal(file.headers['content-type'], 'video/mp4');
    // The name is taken now: neither another upload nor the end of one.
    expectErrors(await use('POST', `${url}/uploads`), 409);
    expectErrors(await use('POST', url, { body: 'x' }), 409);
    expectErrors(await use('PATCH', `${url}/uploads/${id}`), 404);
  });

  test('the end is refused when the name is taken in the meantime, or is not what the link replaces', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f', ofParts);
    const id = await open(url);
    expectStatus(await part(url, id, 1, Buffer.from('mine')), 200);
    expectStatus(await drive.put('f', 'theirs'), 201);
    expectErrors(await use('PATCH', `${url}/uploads/${id}`), 409, /^The file exists already$/);
    const replacing = await writeLink(drive, 'f', { ...ofParts, overwrite: true });
    const other = await open(replacing);
    expectStatus(await part(replacing, other, 1, Buffer.from('mine')), 200);
    const headers = { 'If-Match': '"another"' };
    expectErrors(await use('PATCH', `${replacing}/uploads/${other}`, { headers }), 412);
    assert.equal((await drive.get('f')).text, 'theirs');
    expectStatus(await use('PATCH', `${replacing}/uploads/${other}`), 200);
    assert.equal((await drive.get('f')).text, 'mine');
  });

  test('requests at once open one upload', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f', ofParts);
    const ids = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    assert.equal(new Set(ids).size, 1);
    const listed = await service.api.send('GET', `${drive.root}/uploads`);
    assert.equal(listed.json<{ uploads: unknown[] }>().uploads.length, 1);
    expectStatus(await use('DELETE', `${url}/uploads/${ids[0]}`), 200);
    assert.notEqual(await open(url), ids[0]);
  });

  test('the parts together have at most max_bytes, also when they come at once', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f', ofParts);
    const id = await open(url);
    const sent = await Promise.all([1, 2, 3].map((n) => part(url, id, n, Buffer.alloc(5 * mib, n))));
    const statuses = sent.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 200, 413]);
    const refused = sent.findIndex(({ status }) => status === 413) + 1;
    expectTooLargePage(await part(url, id, refused, Buffer.alloc(2 * mib + 1)));
    expectStatus(await part(url, id, refused, Buffer.alloc(2 * mib)), 200);
    // A part that is sent again counts once.
    expectStatus(await part(url, id, refused, Buffer.alloc(2 * mib)), 200);
    const { parts } = (await use('GET', `${url}/uploads/${id}`)).json<{ parts: { size: number }[] }>();
    assert.equal(
      parts.reduce((sum, { size }) => sum + size, 0),
      12 * mib,
    );
  });

  test('nothing else may be done with the link', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f', { ...ofParts, content_type: 'image/*' });
    expectErrors(await use('POST', `${url}/uploads`, { type: 'text/html' }), 415);
    const id = await open(url, { type: 'image/png' });
    const other = await writeLink(drive, 'f', ofParts);
    const otherId = await open(other);
    const byKey = await openUpload(drive, 'f');
    for (const unknown of [otherId, byKey, '0'.repeat(32), 'x']) {
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expectErrors(await use(method, `${url}/uploads/${unknown}`), 404);
      expectErrors(await part(url, unknown, 1, Buffer.from('x')), 404);
    }
    for (const n of [0, 10_001]) expectErrors(await part(url, id, n, Buffer.from('x')), 400, /^part: /);
    const plain = await writeLink(drive, 'g');
    expectErrors(await use('POST', `${plain}/uploads`), 403);
    for (const tampered of [url.replace('/links/', '/links/x'), url.replace(/\/f$/, '/g')])
      expectErrors(await use('POST', `${tampered}/uploads`), 403);
    expectStatus(await use('PATCH', `${url}/uploads/${id}`), 200);
    assert.equal((await drive.get('f')).headers['content-type'], 'image/png');
  });

  test('it ends with its key', async () => {
    const drive = freshDrive(service.api);
    const made = await createKey(service.api, { access: 'full', drives: [drive.name] });
    const url = await linkOf(drive, { name: 'f', method: 'POST', ...ofParts }, made.key);
    const id = await open(url);
    await deleteKey(service.api, made);
    expectErrors(await part(url, id, 1, Buffer.from('x')), 403);
    expectErrors(await use('PATCH', `${url}/uploads/${id}`), 403);
  });

  test('max_bytes is required, and bounded', async () => {
    const drive = freshDrive(service.api);
    const link = { name: 'f', method: 'POST', expires_in: 60, parts: true };
    expectErrors(await create(drive, link), 400, /^max_bytes: is required with parts/);
    expectErrors(await create(drive, { ...link, max_bytes: 104_857_600_001 }), 400, /^max_bytes: /);
    expectStatus(await create(drive, { ...link, max_bytes: 104_857_600_000 }), 201);
    expectErrors(
      await create(drive, { ...link, parts: false, max_bytes: 10 * mib + 1 }),
      400,
      /^max_bytes: /,
    );
    expectErrors(await create(drive, { ...link, method: 'GET' }), 400, /^parts: /);
    expectErrors(
      await create(drive, { ...link, max_bytes: 9, expires_in: 8 * 86_400 }),
      400,
      /^expires_in: .*604800/,
    );
  });
});
