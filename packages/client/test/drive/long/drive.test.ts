import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import {
  Basedrive,
  type BasedriveError,
  type Drive,
  type FileData,
  type GetFileProgress,
  type PutFileProgress,
} from '../../../src/in-node.js';
import { freshName, key, useService } from '../../support/service.js';

const mib = 1024 * 1024;

describe('a drive of a running service', { concurrency: true }, () => {
  const service = useService();
  const open = (): Drive => Basedrive(key, { url: service.url }).Drive(freshName());
  const bytesOf = async (drive: Drive, name: string) =>
    Buffer.from((await (await drive.get(name))!.bytes()).buffer);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-client-'));
  });
  after(() => rm(folder, { recursive: true }));

  test('put stores strings as UTF-8, bytes, Blobs, streams and the files of paths', async () => {
    const drive = open();
    const text = 'ä é 名前 🙂';
    const bytes = Buffer.from(text);
    const path = join(folder, 'small');
    await writeFile(path, text);
    async function* chunks() {
      yield bytes.subarray(0, 3);
      yield new Uint8Array();
      yield bytes.subarray(3);
    }
    const sources: Record<string, FileData | { path: string } | { data: FileData }> = {
      text,
      buffer: bytes,
      array: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
      blob: new Blob([bytes]),
      file: new File([bytes], 'x'),
      'web stream': new Blob([bytes]).stream(),
      'stream of strings': new ReadableStream<string>({
        start(controller) {
          controller.enqueue(text);
          controller.close();
        },
      }),
      'node stream': Readable.from([bytes]),
      'file stream': createReadStream(path),
      generator: chunks(),
      path: { path },
      'form of npm deta': { data: text },
    };
    for (const [name, source] of Object.entries(sources)) {
      assert.equal(await drive.put(name, source), name);
      assert.equal(await (await drive.get(name))?.text(), text, name);
    }
  });

  test('every kind of source can make an empty file', async () => {
    const drive = open();
    await writeFile(join(folder, 'empty'), '');
    for (const source of [
      '',
      new Uint8Array(),
      new Blob([]),
      new Blob([]).stream(),
      { path: join(folder, 'empty') },
    ]) {
      await drive.put('f', 'x');
      await drive.put('f', source);
      const file = await drive.get('f');
      assert.equal(file?.size, 0);
      assert.equal(await file?.text(), '');
    }
  });

  test('data that cannot be a file is refused with a message that says why', async () => {
    const drive = open();
    for (const bad of [7, null, undefined, {}, [1, 2], { path: '' }, { data: undefined }]) {
      await assert.rejects(drive.put('f', bad as never), { code: 'invalid' });
    }
    await assert.rejects(drive.put('f', { path: 'a', data: 'b' }), /Not both/);
    await assert.rejects(drive.put('f', { path: join(folder, 'absent') }), {
      code: 'invalid',
      message: /ENOENT/,
    });
    await assert.rejects(drive.put('f', { path: folder }), {
      name: 'BasedriveError',
      code: 'invalid',
      message: `The path is a folder, not a file: ${folder}`,
    });
    for (const blank of ['', '   ']) {
      const empty = { code: 'invalid', message: 'Name is empty' };
      await assert.rejects(drive.put(blank, 'x'), empty);
      await assert.rejects(drive.get(blank), empty);
      await assert.rejects(drive.delete(blank), empty);
    }
    await assert.rejects(drive.put('f', { contentType: 'text/plain' } as never), {
      message: 'Please provide data or a path. Both are empty',
    });
    await assert.rejects(drive.put('dir/', 'x'), { code: 'refused', status: 400 });
    assert.deepEqual(await drive.list(), { names: [] });
  });

  test('the content type is the given one, else that of the Blob, else derived from the name', async () => {
    const drive = open();
    const type = async (name: string) => (await drive.get(name))?.type;
    await drive.put('given.txt', 'x', { contentType: 'text/css' });
    assert.equal(await type('given.txt'), 'text/css');
    await drive.put('old.txt', { data: 'x', contentType: 'text/css' });
    assert.equal(await type('old.txt'), 'text/css');
    await drive.put('blob.txt', new Blob(['x'], { type: 'image/png' }));
    assert.equal(await type('blob.txt'), 'image/png');
    await drive.put('over.txt', new Blob(['x'], { type: 'image/png' }), { contentType: 'text/css' });
    assert.equal(await type('over.txt'), 'text/css');
    await drive.put('name.txt', 'x');
    assert.match(String(await type('name.txt')), /^text\/plain/);
    await drive.put('none', 'x');
    assert.equal(await type('none'), 'application/octet-stream');
    await assert.rejects(drive.put('f', 'x', { contentType: 'a\nb' }), { code: 'invalid' });
  });

  test('files of every size around the limits of a request and a part are stored, from every kind of source', async () => {
    const drive = open();
    const large = randomBytes(26 * mib + 12_345);
    for (const size of [10 * mib - 1, 10 * mib, 10 * mib + 1, 15 * mib, large.length]) {
      const bytes = large.subarray(0, size);
      await drive.put('large', bytes);
      assert.ok((await bytesOf(drive, 'large')).equals(bytes), `${size} bytes`);
    }
    const path = join(folder, 'large');
    await writeFile(path, large);
    for (const source of [new Blob([large]), createReadStream(path), { path }]) {
      await drive.put('large', 'old');
      await drive.put('large', source, { contentType: 'text/css' });
      assert.ok((await bytesOf(drive, 'large')).equals(large));
      assert.equal((await drive.get('large'))?.type, 'text/css', 'of a file in parts');
    }
  });

  test('an upload reports its progress, which only grows and ends at the whole', async () => {
    const drive = open();
    const size = 22 * mib;
    const sources: [FileData, number | undefined][] = [
      [new Uint8Array(size), size],
      [new Blob([new Uint8Array(size)]).stream(), undefined],
      ['small', 5],
      ['', 0],
    ];
    for (const [source, total] of sources) {
      const reported: PutFileProgress[] = [];
      await drive.put('f', source, { onProgress: (progress) => reported.push(progress) });
      const last = total ?? size;
      assert.deepEqual(reported.at(-1), { sent: last, total: last });
      for (const [n, { sent }] of reported.entries())
        assert.ok(n === 0 || sent >= (reported[n - 1]?.sent ?? 0));
      for (const progress of reported.slice(0, -1)) assert.equal(progress.total, total);
      // Only after the last part of a stream is it known to be the last.
      const times = { [size]: 4, undefined: 5, 5: 1, 0: 1 }[String(total)];
      assert.equal(reported.length, times, 'one for each of four parts');
    }
  });

  test('a download reports its progress, which only grows and ends at the whole', async () => {
    const drive = open();
    const size = 3 * mib;
    await drive.put('large', new Uint8Array(size));
    await drive.put('empty', '');
    for (const [name, options, total] of [
      ['large', {}, size],
      ['large', { range: { from: 100, to: 199 } }, 100],
      ['empty', {}, 0],
    ] as const) {
      const reported: GetFileProgress[] = [];
      const file = await drive.get(name, { ...options, onProgress: (progress) => reported.push(progress) });
      assert.equal(reported.length, 0, 'nothing is read before it is asked for');
      await file?.arrayBuffer();
      assert.deepEqual(reported.at(-1), { received: total, total });
      for (const [n, progress] of reported.entries()) {
        assert.equal(progress.total, total);
        assert.ok(n === 0 || progress.received > (reported[n - 1]?.received ?? 0));
      }
      if (size === total) assert.ok(reported.length > 1, 'more than once for a large file');
    }
  });

  test('an upload that is aborted at any moment is not open afterwards', async () => {
    const opened = new Set<string>();
    const ended = new Set<string>();
    // Sees every answer, even one that an aborted call does not wait for.
    const watching: typeof fetch = async (input, init = {}) => {
      const { signal, ...request } = init;
      signal?.throwIfAborted();
      const answered = fetch(input, request).then(async (response) => {
        const { pathname } = new URL(String(input));
        if (response.ok && init.method === 'POST' && pathname.endsWith('/uploads')) {
          opened.add(((await response.clone().json()) as { upload_id: string }).upload_id);
        }
        if (response.ok && init.method === 'PATCH') ended.add(pathname.split('/').at(-1) as string);
        return response;
      });
      return await new Promise<Response>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        answered.then(resolve, reject);
      });
    };
    const name = freshName();
    const drive = Basedrive(key, { url: service.url, fetch: watching }).Drive(name);
    const bytes = new Uint8Array(11 * mib);
    for (let waitMs = 0; waitMs < 60; waitMs += 2) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), waitMs);
      await drive.put('f', bytes, { signal: controller.signal }).catch(() => {});
    }
    assert.ok(opened.size > 0, 'some were aborted after they had begun');
    for (const id of opened) {
      const path = `/v1/demo/${name}/uploads/${id}/parts?name=f&part=1`;
      const part = await fetch(service.url + path, {
        method: 'POST',
        headers: { 'X-API-Key': key },
        body: 'x',
      });
      assert.equal(part.status, 404, ended.has(id) ? 'was ended' : 'is still open');
    }
  });

  test('a file can be read whole or in part, with every reader', async () => {
    const drive = open();
    const text = '{"a":"ä"}';
    await drive.put('f.json', text);
    const file = await drive.get('f.json');
    assert.deepEqual(
      [file?.name, file?.type, file?.size, file?.status],
      ['f.json', 'application/json', 10, 200],
    );
    assert.match(String(file?.etag), /^"/);
    assert.ok(file?.lastModified instanceof Date);
    assert.equal(file?.contentRange, null);
    assert.deepEqual(await file?.json(), { a: 'ä' });
    assert.deepEqual(Buffer.from((await (await drive.get('f.json'))?.bytes()) ?? []), Buffer.from(text));
    const blob = await (await drive.get('f.json'))?.blob();
    assert.equal(blob?.type, 'application/json');
    assert.equal(await blob?.text(), text);
    let streamed = '';
    const stream = (await drive.get('f.json'))?.stream().pipeThrough(new TextDecoderStream());
    for await (const piece of stream!) streamed += piece;
    assert.equal(streamed, text);

    const part = await drive.get('f.json', { range: { from: 2, to: 2 } });
    assert.deepEqual([part?.status, part?.size, part?.contentRange], [206, 1, 'bytes 2-2/10']);
    assert.equal(await part?.text(), 'a');
    assert.equal(await (await drive.get('f.json', { range: { from: 9 } }))?.text(), '}');
    assert.equal(await (await drive.get('f.json', { range: { last: 2 } }))?.text(), '"}');
    await assert.rejects(drive.get('f.json', { range: { from: 10 } }), { code: 'refused', status: 416 });
    assert.equal(await drive.get('absent'), null);
  });

  test('a range that cannot be sent is refused: the service would answer it with the whole file', async () => {
    const drive = open();
    await drive.put('f', '0123456789');
    const noNumbers = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
    const ranges = [
      ...[...noNumbers, undefined as never].map((from) => ({ from })),
      ...[...noNumbers, 1].map((to) => ({ from: 2, to })),
      ...noNumbers.map((last) => ({ last })),
    ];
    const message = 'range: must be whole numbers, from no more than to';
    for (const range of ranges)
      await assert.rejects(drive.get('f', { range }), { code: 'invalid', message }, JSON.stringify(range));
    assert.equal(await (await drive.get('f', { range: { from: 8, to: undefined } }))?.text(), '89');
    assert.equal(await (await drive.get('f', { range: { from: 8, to: 99 } }))?.text(), '89');
  });

  test('every call encodes the name of a file', async () => {
    const drive = open();
    for (const name of ['a/b c.txt', ' a ', '100%', 'ä+ö', '?#&', '🙂', '..', '../up', 'a\\b']) {
      assert.equal(await drive.put(name, 'x'), name);
      assert.equal(await (await drive.get(name))?.text(), 'x');
      assert.deepEqual(await drive.list({ prefix: name }), { names: [name] });
      assert.equal(await drive.delete(name), name);
      assert.equal(await drive.get(name), null);
    }
  });

  test('list returns a page of names, with every option', async () => {
    const drive = open();
    const names = ['a/1', 'a/2', 'a/b/3', 'c', 'd e/f'];
    for (const name of names) await drive.put(name, name);
    assert.deepEqual(await drive.list(), { names });
    assert.deepEqual(await drive.list({ prefix: 'a/', recursive: false }), { names: ['a/1', 'a/2', 'a/b/'] });
    assert.deepEqual(await drive.list({ limit: 2 }), {
      paging: { size: 2, last: 'a/2' },
      names: ['a/1', 'a/2'],
    });
    assert.deepEqual(await drive.list({ last: 'c' }), { names: ['d e/f'] });
    await assert.rejects(drive.list({ limit: 0 }), { code: 'refused', message: /limit/ });
  });

  test('names iterates over all pages, and deleteMany deletes any number of files', async () => {
    const drive = open();
    const names = Array.from({ length: 1203 }, (_, n) => `n${String(n).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((name) => drive.put(name, '')));
    }
    const seen: string[] = [];
    for await (const name of drive.names({ prefix: 'n' })) seen.push(name);
    assert.deepEqual(seen, names);
    const { deleted, failed } = await drive.deleteMany(new Set([...names, 'absent', 'bad/']));
    assert.deepEqual([deleted.length, deleted.at(-1), failed], [1204, 'absent', { 'bad/': 'invalid name' }]);
    assert.deepEqual(await drive.list(), { names: [] });
  });

  test('deleteMany reports bad names, and rejects only when every name is bad', async () => {
    const drive = open();
    const bad = Array.from({ length: 1000 }, (_, n) => `bad${n}/`);
    const { deleted, failed } = await drive.deleteMany([...bad, 'good']);
    assert.deepEqual([deleted, Object.keys(failed)], [['good'], bad]);
    await assert.rejects(drive.deleteMany(bad), { code: 'refused', status: 400 });
    await assert.rejects(drive.deleteMany([]), { code: 'invalid', message: "Names can't be empty" });
    await assert.rejects(drive.deleteMany('name'), { code: 'invalid' });
    await assert.rejects(drive.delete('bad/'), { code: 'refused' });
    assert.equal(await drive.delete('absent'), 'absent');
  });

  test('however many parts are to be sent at once, the whole file is stored, or nothing', async () => {
    const drive = open();
    const bytes = new Uint8Array(11 * mib);
    for (const concurrency of [0, -1, 0.5, Number.POSITIVE_INFINITY]) {
      await drive.put('f', bytes, { concurrency });
      assert.equal(
        (await drive.get('f', { range: { last: 1 } }))?.contentRange,
        `bytes ${bytes.length - 1}-${bytes.length - 1}/${bytes.length}`,
      );
    }
    const refused = { code: 'invalid', message: 'concurrency: must be a number' };
    await assert.rejects(drive.put('none', bytes, { concurrency: Number.NaN }), refused);
    assert.equal(await drive.get('none'), null);
  });

  test('a call that is refused before it sends anything closes its source', async () => {
    const drive = open();
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      cancel() {
        isCancelled = true;
      },
    });
    await assert.rejects(drive.put('f', stream, { expireIn: Number.NaN }), { code: 'invalid' });
    assert.ok(isCancelled);
  });

  test('a wrong project key is unauthorized', async () => {
    const drive = Basedrive('demo_wrong', { url: service.url }).Drive('d');
    const unauthorized = (error: BasedriveError) => error.code === 'unauthorized' && error.status === 401;
    await assert.rejects(drive.get('f'), unauthorized);
    await assert.rejects(drive.put('f', 'x'), unauthorized);
    await assert.rejects(drive.put('f', new Uint8Array(11 * mib)), unauthorized);
  });
});
