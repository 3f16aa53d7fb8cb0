import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drive, freshDrive, openUpload } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

interface Page {
  readonly paging?: { readonly size: number; readonly last: string };
  readonly uploads: readonly { readonly upload_id: string; readonly name: string }[];
}

describe('open uploads', { concurrency: true }, () => {
  const service = useService();
  const list = (drive: Drive, query = '') => service.api.send('GET', `${drive.root}/uploads${query}`);
  const get = (drive: Drive, id: string, name: string) =>
    service.api.send('GET', `${drive.root}/uploads/${id}?name=${encodeURIComponent(name)}`);

  test('are listed until they end or are aborted', async () => {
    const drive = freshDrive(service.api);
    expectJson(await list(drive), 200, { uploads: [] });
    const ids: string[] = [];
    for (const name of ['a', 'a', 'é b']) ids.push(await openUpload(drive, name));
    const uploads = ids.map((upload_id, n) => ({ upload_id, name: n < 2 ? 'a' : 'é b' }));
    const sorted = uploads.toSorted((a, b) => (a.upload_id < b.upload_id ? -1 : 1));
    expectJson(await list(drive), 200, { uploads: sorted });
    expectStatus(await drive.end(ids[0] as string, 'a'), 200);
    expectStatus(await drive.abort(ids[1] as string, 'a'), 200);
    expectJson(await list(drive), 200, { uploads: [uploads[2]] });
  });

  test('are listed in pages, which have every one once', async () => {
    const drive = freshDrive(service.api);
    const ids = await Promise.all(Array.from({ length: 7 }, () => openUpload(drive, 'f')));
    const found: string[] = [];
    let page: Page = { uploads: [], paging: { size: 0, last: '' } };
    while (page.paging !== undefined) {
      const reply = await list(drive, `?limit=3&last=${page.paging.last}`);
      expectStatus(reply, 200);
      page = reply.json<Page>();
      found.push(...page.uploads.map(({ upload_id }) => upload_id));
      if (page.paging) assert.deepEqual(page.paging, { size: 3, last: found.at(-1) });
    }
    assert.deepEqual(found, ids.sort());
    for (const limit of ['0', 'x', '']) expectErrors(await list(drive, `?limit=${limit}`), 400, /^limit: /);
    expectErrors(await list(drive, '?last=%01'), 400, /^last: /);
  });

  test('say their parts and sizes, also of parts that were sent again, and can be continued', async () => {
    const drive = freshDrive(service.api);
    const id = await openUpload(drive, 'f');
    expectJson(await get(drive, id, 'f'), 200, { upload_id: id, name: 'f', parts: [] });
    for (const [part, bytes] of [
      [3, 300_000],
      [12, 1],
      [3, 5],
      [1, 0],
    ] as const) {
      expectStatus(await drive.part(id, 'f', part, Buffer.alloc(bytes)), 200);
    }
    const parts = [
      { part: 1, size: 0 },
      { part: 3, size: 5 },
      { part: 12, size: 1 },
    ];
    expectJson(await get(drive, id, 'f'), 200, { upload_id: id, name: 'f', parts });
    const other = await openUpload(drive, 'g');
    expectStatus(await drive.part(other, 'g', 1, Buffer.from('whole')), 200);
    expectStatus(await get(drive, other, 'g'), 200);
    expectStatus(await drive.end(other, 'g'), 200);
    assert.equal((await drive.get('g')).text, 'whole');
  });

  test('are unknown under another name or drive, and once ended or aborted', async () => {
    const drive = freshDrive(service.api);
    const id = await openUpload(drive, 'f');
    expectErrors(await get(drive, id, 'g'), 404, /^Upload not found$/);
    expectErrors(await get(freshDrive(service.api), id, 'f'), 404);
    expectErrors(await get(drive, 'x', 'f'), 404);
    expectErrors(await service.api.send('GET', `${drive.root}/uploads/${id}`), 400, /^name: is required$/);
    expectStatus(await drive.abort(id, 'f'), 200);
    expectErrors(await get(drive, id, 'f'), 404);
  });
});
