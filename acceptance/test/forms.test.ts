import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { createKey } from './support/keys.js';
import { linksOf } from './support/links.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const type = `multipart/form-data; boundary=${boundary}`;
const mib = 1024 * 1024;

interface Field {
  readonly name: string;
  readonly file?: string;
  readonly type?: string;
  readonly value: string | Buffer;
}

/** A form as a browser sends it, byte for byte. */
function formOf(fields: readonly Field[], end = `--${boundary}--\r\n`): Buffer {
  const parts = fields.flatMap(({ name, file, type: own, value }) => {
    const filename = file === undefined ? '' : `; filename="${file}"`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n`;
    return [
      Buffer.from(`${head}${own === undefined ? '' : `Content-Type: ${own}\r\n`}\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ];
  });
  return Buffer.concat([...parts, Buffer.from(end)]);
}

describe('multipart/form-data', { concurrency: true }, () => {
  const service = useService();
  const { writeLink, use } = linksOf(service);

  test('its first file is the file, whatever its size and what is around it', async () => {
    const drive = freshDrive(service.api);
    for (const size of [0, 5, 16_384, 16_385, 70_000, 3 * mib, 10 * mib]) {
      // Bytes that look like a boundary, at every place of a chunk.
      const bytes = Buffer.alloc(size, `\r\n--${boundary.slice(0, -1)}x`);
      const body = formOf([
        { name: 'note', value: 'x'.repeat(200_000) },
        { name: 'photo', file: `größe ${size}.png`, type: 'image/png', value: bytes },
        { name: 'second', file: 'other.txt', type: 'text/plain', value: 'other' },
      ]);
      const named = await service.api.send('POST', `${drive.root}/files?name=n${size}`, { body, type });
      expectStatus(named, 201);
      const back = await drive.get(`n${size}`);
      assert.ok(back.body.equals(bytes), `${size}`);
      assert.equal(back.headers['content-type'], 'image/png');
      const unnamed = await service.api.send('POST', `${drive.root}/files`, { body, type });
      assert.equal(unnamed.json<{ name: string }>().name, `größe ${size}.png`);
    }
    const { names } = (await drive.list({ contains: 'größe' })).json<{ names: string[] }>();
    assert.equal(names.length, 7);
  });

  test('what the platform makes of FormData is read', async () => {
    const drive = freshDrive(service.api);
    const form = new FormData();
    form.append('a', 'text');
    form.append('f', new Blob(['bytes'], { type: 'text/x-own' }), 'a näme.txt');
    const { target } = service;
    if (target.url.protocol === 'https:') return;
    const headers = { 'X-API-Key': target.key };
    const reply = await fetch(`${target.url.origin}${drive.root}/files`, {
      method: 'POST',
      body: form,
      headers,
    });
    assert.equal(reply.status, 201);
    assert.equal(((await reply.json()) as { name: string }).name, 'a näme.txt');
  });

  test('a file of too many bytes is refused, and one of as many as allowed stored', async () => {
    const drive = freshDrive(service.api);
    const put = (size: number, name: string) =>
      drive.put(name, formOf([{ name: 'f', file: 'f', value: Buffer.alloc(size) }]), { type });
    expectTooLargePage(await put(10 * mib + 1, 'f'));
    expectTooLargePage(await put(12 * mib, 'f'));
    expectJson(await drive.list(), 200, { names: [] });
    expectStatus(await put(10 * mib, 'f'), 201);
    const url = await writeLink(drive, 'g', { max_bytes: 10 });
    const bytes = (size: number) => formOf([{ name: 'f', file: 'f', value: 'x'.repeat(size) }]);
    expectTooLargePage(await use('POST', url, { body: bytes(11), type }));
    expectStatus(await use('POST', url, { body: bytes(10), type }), 201);
    assert.equal((await drive.get('g')).text, 'x'.repeat(10));
  });

  test('what is no whole form with a file is refused, and nothing is stored', async () => {
    const drive = freshDrive(service.api);
    const file = { name: 'f', file: 'f.txt', value: 'bytes'.repeat(10_000) };
    for (const [body, message] of [
      [formOf([{ name: 'a', value: 'text' }]), /^body: must have a file/],
      // A browser sends this when no file was chosen.
      [
        formOf([{ name: 'f', file: '', type: 'application/octet-stream', value: '' }]),
        /^body: must have a file/,
      ],
      [formOf([file], ''), /^body: is no whole multipart/],
      [formOf([file], `--${boundary}\r\nContent-Disp`), /^body: is no whole multipart/],
      [Buffer.from('bytes'), /^body: /],
      [Buffer.alloc(0), /^body: /],
    ] as const) {
      expectErrors(await drive.put('f', body, { type }), 400, message);
    }
    for (const without of ['multipart/form-data', 'Multipart/Form-Data; charset=utf-8']) {
      const reply = await drive.put('f', formOf([file]), { type: without });
      expectErrors(reply, 400, /^body: is no whole multipart\/form-data: its Content-Type has no boundary/);
    }
    const bad = formOf([{ ...file, file: ' ' }]);
    expectErrors(
      await service.api.send('POST', `${drive.root}/files`, { body: bad, type }),
      400,
      /^filename: /,
    );
    expectJson(await drive.list(), 200, { names: [] });
    // The connection is as good as ever.
    expectStatus(await drive.put('f', formOf([file]), { type }), 201);
    const held = await drive.put('f', formOf([file]), { type, headers: { 'If-None-Match': '*' } });
    expectErrors(held, 412);
  });

  test('a form that its client does not finish stores nothing', async () => {
    const drive = freshDrive(service.api);
    const body = formOf([{ name: 'f', file: 'f', value: Buffer.alloc(400_000) }]);
    const connection = await openRaw(service.target);
    const head = [
      `POST ${drive.root}/files?name=f HTTP/1.1`,
      'Host: localhost',
      `X-API-Key: ${service.target.key}`,
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
    ];
    connection.write(`${head.join('\r\n')}\r\n\r\n`);
    connection.write(body.subarray(0, -10));
    connection.end();
    await connection.closed.catch(() => {});
    expectJson(await drive.list(), 200, { names: [] });
  });

  test('the name in a form must be within the prefix of the key', async () => {
    const drive = freshDrive(service.api);
    const { key } = await createKey(service.api, { access: 'write', drives: [drive.name], prefix: 'in-' });
    const send = (file: string) =>
      service.api.send('POST', `${drive.root}/files`, {
        body: formOf([{ name: 'f', file, value: 'x' }]),
        type,
        key,
      });
    expectErrors(await send('out.txt'), 403, /^Forbidden/);
    expectStatus(await send('in-a.txt'), 201);
    expectJson(await drive.list(), 200, { names: ['in-a.txt'] });
  });

  test('a link takes the form of a page without scripts, of the type that it allows', async () => {
    const drive = freshDrive(service.api);
    const url = await writeLink(drive, 'in/dog.png', { content_type: 'image/*' });
    const body = (own: string) => formOf([{ name: 'f', file: 'my.png', type: own, value: 'dog' }]);
    expectErrors(await use('POST', url, { body: body('text/html'), type }), 415);
    expectStatus(await use('POST', url, { body: body('image/png'), type }), 201);
    const back = await drive.get('in/dog.png');
    assert.deepEqual([back.text, back.headers['content-type']], ['dog', 'image/png']);
    expectErrors(await use('POST', url, { body: body('image/png'), type }), 409);
  });
});
