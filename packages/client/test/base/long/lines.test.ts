import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type LineBatch, readLineBatches } from '../../../src/base/line-batches.js';
import { type Base, Basedrive, type FailedLine } from '../../../src/in-node.js';
import { cuttingProxy } from '../../support/cutting-proxy.js';
import { fakeService } from '../../support/fake-service.js';
import { freshName, key, useService } from '../../support/service.js';

interface Entry {
  n: number;
  text?: string;
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    key: `k${String(n).padStart(5, '0')}`,
    n,
    text: 'é'.repeat(300),
  }));
const linesOf = (items: readonly unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

async function keysOf(items: AsyncIterable<{ key: string }>): Promise<string[]> {
  const keys: string[] = [];
  for await (const item of items) keys.push(item.key);
  return keys;
}

describe('items as lines', { concurrency: true }, () => {
  const service = useService();
  const open = (name = freshName(), url = service.url): Base<Entry> =>
    Basedrive(key, { url, retry: { firstDelayMs: 10 } }).Base<Entry>(name);

  test('a base becomes NDJSON, and NDJSON a base, with every digit', async () => {
    const base = open();
    const lines = '{"key":"a","n":1234567890123456,"text":"ä"}\n{"key":"b","n":0.1}\n';
    const bytes = Buffer.byteLength(lines);
    const progress: unknown[] = [];
    const imported = await base.importLines(lines, { onProgress: (now) => progress.push(now) });
    assert.deepEqual(imported, { stored: 2, failedCount: 0, failed: [] });
    assert.deepEqual(progress, [{ stored: 2, failed: 0, sent: bytes, total: bytes }]);
    const seen: unknown[] = [];
    const exported = await text(base.exportLines({ onProgress: (now) => seen.push(now) }));
    assert.equal(exported, lines);
    assert.deepEqual(seen, [{ items: 2, bytes }]);
    const copy = open();
    await copy.importLines(exported);
    assert.equal(await text(copy.exportLines()), exported);
    assert.equal(await text(copy.exportLines({ prefix: 'b' })), exported.slice(exported.indexOf('\n') + 1));
    assert.deepEqual(await keysOf(copy.exportItems({ last: 'a' })), ['b']);
    assert.equal(await text(open().exportLines()), '');
  });

  test('lines come from text, bytes, blobs, streams, iterables and files', async (t) => {
    const items = numbered(3);
    const lines = linesOf(items);
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-lines-'));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, 'items.ndjson');
    await writeFile(path, lines);
    async function* pieces() {
      for (const character of lines) yield character;
    }
    const sources = {
      text: lines,
      'text without a last line end': lines.trimEnd(),
      'a byte order mark': `\ufeff${lines}`,
      'text with CRLF and blank lines': `\n${lines.replaceAll('\n', '\r\n\r\n')}`,
      bytes: new TextEncoder().encode(lines),
      blob: new Blob([lines]),
      'web stream': new Blob([lines]).stream(),
      'Node stream': Readable.from([Buffer.from(lines)]),
      iterable: pieces(),
      file: { path },
    };
    for (const [what, source] of Object.entries(sources)) {
      const base = open();
      const sent: unknown[] = [];
      const result = await base.importLines(source, { onProgress: (now) => sent.push(now.sent) });
      assert.deepEqual(result, { stored: 3, failedCount: 0, failed: [] }, what);
      if (typeof source === 'string') assert.equal(sent.at(-1), Buffer.byteLength(source), what);
      assert.equal(await text(base.exportLines()), lines, what);
    }
    await assert.rejects(open().importLines({ path: join(folder, 'absent') }), { code: 'invalid' });
  });

  test('lines of many requests keep their numbers and their order', async () => {
    const base = open();
    const items: unknown[] = numbered(6000);
    // Lines 2500 and 5001 are refused, and the last item of a key stays.
    items[2499] = { key: '', n: 0 };
    items[5000] = { key: 'k00003', n: 'later' };
    const lines = linesOf(items).replace(/^.*"k05500".*$/m, 'not JSON');
    const progress: number[] = [];
    const reported: FailedLine[] = [];
    const { stored, failedCount, failed } = await base.importLines(new Blob([lines]).stream(), {
      onProgress: ({ sent }) => progress.push(sent),
      onFailed: (line) => reported.push(line),
    });
    assert.deepEqual([stored, failedCount], [5998, 2]);
    assert.deepEqual(
      failed.map(({ line, error }) => [line, error.code]),
      [
        [2500, 'refused'],
        [5501, 'refused'],
      ],
    );
    assert.deepEqual(reported, failed);
    assert.ok(progress.length > 2, `${progress}`);
    assert.equal(progress.at(-1), Buffer.byteLength(lines));
    assert.equal((await base.get('k00003'))?.n, 'later');
  });

  test('a line that is too long is refused by itself, and its rest is not kept', async () => {
    const base = open();
    async function* source() {
      yield '{"key":"a","n":1}\n{"key":"long","text":"';
      for (let mib = 0; mib < 40; mib++) yield 'x'.repeat(1024 * 1024);
      yield '"}\n{"key":"b","n":2}\n';
    }
    const { stored, failed } = await base.importLines(source());
    assert.equal(stored, 2);
    assert.deepEqual(
      failed.map(({ line }) => line),
      [2],
    );
    assert.match(failed[0]?.error.message ?? '', /line: has more than/);
    assert.deepEqual(await keysOf(base.items()), ['a', 'b']);
  });

  test('a source without a line end takes the memory of one line', async () => {
    let mib = 40;
    const batches: LineBatch[] = [];
    const read = async () => (mib-- > 0 ? new Uint8Array(1024 * 1024).fill(120) : undefined);
    for await (const batch of readLineBatches(read)) batches.push(batch);
    assert.deepEqual(
      batches.map(({ body, end }) => [body.length, end]),
      [[1200 * 1024 + 1, 40 * 1024 * 1024]],
    );
  });

  test('with insert, an item that exists is a conflict', async () => {
    const base = open();
    await base.put({ n: 1 }, 'a');
    const { stored, failed } = await base.importLines(
      linesOf([
        { key: 'b', n: 2 },
        { key: 'a', n: 3 },
      ]),
      {
        insert: true,
      },
    );
    assert.equal(stored, 1);
    assert.deepEqual(
      failed.map(({ line, error }) => [line, error.code]),
      [[2, 'conflict']],
    );
    assert.equal((await base.get('a'))?.n, 1);
  });

  test('every one of many short lines that are refused is reported', async () => {
    const base = open();
    const lines = linesOf(Array.from({ length: 50_000 }, (_, n) => ({ key: `k${n}` })));
    assert.equal((await base.importLines(lines)).stored, 50_000);
    const numbers: number[] = [];
    const { stored, failedCount } = await base.importLines(lines, {
      insert: true,
      onFailed: ({ line }) => numbers.push(line),
    });
    assert.deepEqual([stored, failedCount], [0, 50_000]);
    assert.deepEqual(
      numbers,
      Array.from({ length: 50_000 }, (_, at) => at + 1),
    );
  });

  test('more failed lines than the result lists are counted and reported', async () => {
    let reported = 0;
    const { failedCount, failed } = await open().importLines('{}x\n'.repeat(1500), {
      onFailed: () => reported++,
    });
    assert.deepEqual([failedCount, failed.length, reported], [1500, 1000, 1500]);
  });

  test('an export that is cut off continues after its last item', async (t) => {
    const items = numbered(5000);
    const name = freshName();
    await open(name).importItems(items);
    const lines = linesOf(items);
    const forLines = await cuttingProxy(t, service.url, 100_000, 300, 1_000_000, 50_000);
    assert.equal(await text(open(name, forLines.url).exportLines()), lines);
    assert.equal(forLines.cuts, 4);
    const forItems = await cuttingProxy(t, service.url, 700_000, 700_000);
    const keys = await keysOf(open(name, forItems.url).exportItems({ prefix: 'k0' }));
    assert.deepEqual(
      keys,
      items.map((item) => item.key),
    );
    assert.equal(forItems.cuts, 2);
    const hopeless = await cuttingProxy(t, service.url, ...Array(9).fill(300));
    await assert.rejects(buffer(open(name, hopeless.url).exportLines()), { code: 'network' });
  });

  test('lines whose answer is lost are sent again if each has a key', async (t) => {
    const name = freshName();
    const items = numbered(5000);
    const proxy = await cuttingProxy(t, service.url, 0, 150, 150);
    const result = await open(name, proxy.url).importLines(linesOf(items));
    assert.deepEqual(result, { stored: 5000, failedCount: 0, failed: [] });
    assert.ok(proxy.cuts > 0);
    assert.equal(await open(name).count(), 5000);

    const withoutKeys = freshName();
    const second = await cuttingProxy(t, service.url, 0, 0, 0);
    await assert.rejects(open(withoutKeys, second.url).importLines('{"key":"a","n":1}\n{"n":2}\n'), {
      code: 'network',
    });
    assert.equal(second.cuts, 1);
    const third = await cuttingProxy(t, service.url, 0, 0, 0);
    await assert.rejects(open(freshName(), third.url).importLines('{"key":"a","n":1}', { insert: true }), {
      code: 'network',
    });
    assert.equal(third.cuts, 1);
    const fourth = await cuttingProxy(t, service.url, 0, 0);
    const again = await open(freshName(), fourth.url).importItems([{ n: 1 }, { n: 2 }]);
    assert.deepEqual([again.stored, fourth.cuts], [2, 2]);
  });

  test('an import ends with its signal, also while its source gives nothing', async () => {
    const base = open();
    const source = new ReadableStream<string>({ start: (controller) => controller.enqueue('{"key":"a"}\n') });
    await assert.rejects(base.importLines(source, { signal: AbortSignal.timeout(50) }), { code: 'timeout' });
    const mistake = new Error('of the source');
    async function* broken() {
      yield '{"key":"a","n":1}\n';
      throw mistake;
    }
    await assert.rejects(base.importLines(broken()), mistake);
    await assert.rejects(
      base.importLines('{"key":"a"}', {
        onProgress() {
          throw mistake;
        },
      }),
      mistake,
    );
  });

  test('a stream that is cancelled ends its request, also while nothing arrives', async (t) => {
    let closed = Promise.resolve<unknown>(undefined);
    const stuck = await fakeService(t, (response) => {
      closed = once(response, 'close');
      response.write('{"key":"a"}\n');
    });
    const reader = open(freshName(), stuck.url).exportLines().getReader();
    await reader.read();
    const next = reader.read();
    // Now the stream waits for the next line.
    await setImmediate();
    await reader.cancel();
    assert.equal((await next).done, true);
    await closed;
  });

  test('a stream that is cancelled, aborted or refused ends', async () => {
    const base = open();
    await base.importItems(numbered(2000));
    const reader = base.exportLines().getReader();
    assert.ok(((await reader.read()).value?.length ?? 0) > 0);
    await reader.cancel();
    assert.deepEqual(await reader.read(), { done: true, value: undefined });
    await assert.rejects(buffer(base.exportLines({ signal: AbortSignal.abort() })), { code: 'aborted' });
    const stranger = Basedrive('demo_wrong', { url: service.url }).Base('b');
    await assert.rejects(buffer(stranger.exportLines()), { code: 'unauthorized' });
    await assert.rejects(stranger.importLines('{}'), { code: 'unauthorized' });
  });
});
