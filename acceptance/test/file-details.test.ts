import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drive, freshDrive, openUpload } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

interface Details {
  readonly name: string;
  readonly size?: number;
  readonly content_type?: string;
  readonly modified?: number;
  readonly etag?: string;
}

interface Page {
  readonly names: readonly string[];
  readonly files?: readonly Details[];
  readonly paging?: { readonly size: number; readonly last: string };
}

describe('List Files with details', { concurrency: true }, () => {
  const service = useService();

  async function page(drive: Drive, query: Record<string, string | number>): Promise<Page> {
    const reply = await drive.list({ details: 'true', ...query });
    expectStatus(reply, 200);
    return reply.json<Page>();
  }

  /** What a download says of the file. */
  async function downloaded(drive: Drive, name: string): Promise<Details> {
    const { headers } = await drive.head(name);
    return {
      name,
      size: Number(headers['content-length']),
      content_type: String(headers['content-type']),
      modified: Date.parse(String(headers['last-modified'])) / 1000,
      etag: String(headers.etag),
    };
  }

  test('says of each file what its download says, whatever its size and however it was stored', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('a.txt', 'four', { type: 'text/plain; charset=utf-8' }), 201);
    expectStatus(await drive.put('empty', ''), 201);
    expectStatus(await drive.put('large.png', Buffer.alloc(300_000, 1)), 201);
    const id = await openUpload(drive, 'parts');
    expectStatus(await drive.part(id, 'parts', 1, Buffer.alloc(5 * 1024 * 1024, 1)), 200);
    expectStatus(await drive.part(id, 'parts', 2, Buffer.from('end')), 200);
    expectStatus(await drive.end(id, 'parts'), 200);
    const names = ['a.txt', 'empty', 'large.png', 'parts'];
    const files = await Promise.all(names.map((name) => downloaded(drive, name)));
    assert.deepEqual(await page(drive, {}), { names, files });
    assert.equal(files[3]?.size, 5 * 1024 * 1024 + 3);
  });

  test('a directory has only its name; pages have the files of their names', async () => {
    const drive = freshDrive(service.api);
    for (const name of ['a', 'b/1', 'b/2', 'c']) expectStatus(await drive.put(name, name), 201);
    const whole = await page(drive, { recursive: 'false' });
    assert.deepEqual(
      whole.files?.map(({ name }) => name),
      ['a', 'b/', 'c'],
    );
    assert.deepEqual(whole.files?.[1], { name: 'b/' });
    const first = await page(drive, { recursive: 'false', limit: 2 });
    assert.deepEqual(first, {
      paging: { size: 2, last: 'b/' },
      names: ['a', 'b/'],
      files: whole.files?.slice(0, 2),
    });
    const second = await page(drive, { recursive: 'false', limit: 2, last: 'b/' });
    assert.deepEqual(second, { names: ['c'], files: whole.files?.slice(2) });
  });

  test('an empty drive has no files; without details the answer has no such member', async () => {
    const drive = freshDrive(service.api);
    assert.deepEqual(await page(drive, {}), { names: [], files: [] });
    expectStatus(await drive.put('a', 'x'), 201);
    for (const details of ['', 'false']) expectJson(await drive.list({ details }), 200, { names: ['a'] });
    expectErrors(await drive.list({ details: 'yes' }), 400, /^details: must be true or false$/);
  });
});
