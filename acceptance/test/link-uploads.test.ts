import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { hostileNames } from './support/hostile-files.js';
import { linksOf } from './support/links.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

/** docs/http.md#links */
describe('links for uploads', { concurrency: true }, () => {
  const service = useService();
  const { writeLink, pathOf, use } = linksOf(service);

  test('store one file without a key, once', async () => {
    const { target } = service;
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'in/a.txt');
    const stored = { name: 'in/a.txt', project_id: target.project, drive_name: drive.name };
    expectJson(await use('POST', url, { body: 'one', type: 'text/x-own' }), 201, stored);
    const reply = await drive.get('in/a.txt');
    assert.equal(reply.text, 'one');
    assert.equal(reply.headers['content-type'], 'text/x-own');
    expectErrors(await use('POST', url, { body: 'two' }), 409, /^The file exists already$/);
    assert.equal((await drive.get('in/a.txt')).text, 'one');
    for (const method of ['GET', 'HEAD']) expectStatus(await use(method, url), 403);
  });

  test('of many uploads at once, one stores the file', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f');
    const bodies = Array.from({ length: 12 }, (_, n) => `${n}`.repeat(n % 2 === 0 ? 10 : 50_000));
    const replies = await Promise.all(bodies.map((body) => use('POST', url, { body })));
    const stored = replies.findIndex(({ status }) => status === 201);
    assert.deepEqual(
      replies.map(({ status }) => status),
      bodies.map((_, n) => (n === stored ? 201 : 409)),
    );
    assert.equal((await drive.get('f')).text, bodies[stored]);
  });

  test('replace the file if they say so, and obey conditions', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f', { overwrite: true });
    for (const body of ['one', 'two']) expectStatus(await use('POST', url, { body }), 201);
    const only = (headers: Readonly<Record<string, string>>) => use('POST', url, { body: 'three', headers });
    expectErrors(await only({ 'If-None-Match': '*' }), 412);
    expectErrors(await only({ 'If-Match': '"other"' }), 412);
    assert.equal((await drive.get('f')).text, 'two');
    expectStatus(await only({ 'If-Match': String((await drive.get('f')).headers.etag) }), 201);
  });

  test('bound the size, announced or not, to the byte', async () => {
    const drive = freshDrive(service.api);
    for (const max of [0, 10, 20_000, 300_000]) {
      const name = `f${max}`;
      const url = await writeLink(drive, name, { max_bytes: max });
      expectTooLargePage(await use('POST', url, { body: Buffer.alloc(max + 1) }));
      for (const sizes of [[max + 1], [max, 1], Array(20).fill(Math.ceil((max + 1) / 20) + 1)]) {
        expectStatus((await chunked(url, sizes)) as Reply, 413);
      }
      expectStatus(await drive.get(name), 404);
      expectStatus((await chunked(url, [max])) as Reply, 201);
      assert.equal((await drive.get(name)).body.length, max);
    }
  });

  test('have the limit of Put File if they say none', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'f');
    const limit = 10 * 1024 * 1024;
    expectTooLargePage(await use('POST', url, { body: Buffer.alloc(limit + 1) }));
    expectStatus(await use('POST', url, { body: Buffer.alloc(limit) }), 201);
  });

  test('leave nothing behind when the client stops early', async () => {
    const drive = freshDrive(service.api);
    for (const length of [5, 100_000]) {
      const url = await writeLink(drive, `f${length}`);
      const connection = await openRaw(service.target);
      connection.write(`POST ${pathOf(url)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nabc`);
      connection.end();
      await connection.closed;
      expectStatus(await drive.get(`f${length}`), 404);
      expectStatus(await use('POST', url, { body: 'x' }), 201);
    }
  });

  /** Sends a body in chunks of these sizes. */
  async function chunked(url: string, sizes: readonly number[]) {
    const connection = await openRaw(service.target);
    try {
      connection.write(`POST ${pathOf(url)} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (const size of sizes.filter((one) => one > 0)) {
        connection.write(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`);
      }
      connection.write('0\r\n\r\n');
      return await connection.reply();
    } finally {
      connection.destroy();
    }
  }

  for (const [allowed, yes, no] of [
    ['image/png', ['image/png', 'IMAGE/PNG', 'image/png; a="b;c"'], ['image/jpeg', 'image/pngx', 'image/*']],
    ['image/*', ['image/png', 'image/svg+xml', 'Image/X'], ['text/html', 'imagex/png', 'image', 'image/']],
    ['Text/Plain', ['text/plain', 'text/plain;charset=utf-8'], ['text/html', 'text/*']],
  ] as const) {
    test(`bound the type: ${allowed}`, async () => {
      const drive = freshDrive(service.api);
      const name = 'f.html';
      const url = await writeLink(drive, name, { content_type: allowed, overwrite: true });
      for (const type of yes) {
        expectStatus(await use('POST', url, { body: 'x', type }), 201);
        assert.equal((await drive.get(name)).headers['content-type'], type);
      }
      const first = yes[0];
      const tricks = [
        `${first}, text/html`,
        `${first};, text/html`,
        `${first} text/html`,
        `${first};a="`,
        `;${first}`,
      ];
      for (const type of [...no, ...tricks, '*/*', '', 'text/html']) {
        expectErrors(await use('POST', url, { body: 'y', type }), 415, /^Content-Type: must be /);
      }
      assert.equal((await drive.get(name)).text, 'x');
    });
  }

  test('without a type, the name says it', async () => {
    const drive = freshDrive(service.api);
    const png = await writeLink(drive, 'f.png', { content_type: 'image/*' });
    expectStatus(await use('POST', png, { body: 'x' }), 201);
    assert.equal((await drive.get('f.png')).headers['content-type'], 'image/png');
    const html = await writeLink(drive, 'f.html', { content_type: 'image/*' });
    expectErrors(await use('POST', html, { body: 'x' }), 415);
  });

  test('work for every name', async () => {
    const drive = freshDrive(service.api);
    for (const name of hostileNames) {
      expectStatus(await use('POST', await writeLink(drive, name), { body: name }), 201);
      assert.equal((await drive.get(name)).text, name);
    }
  });
});
