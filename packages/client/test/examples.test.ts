import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Basedrive } from '../src/in-node.js';
import { openGallery } from './examples/gallery.js';
import { openQueue } from './examples/job-queue.js';
import { importSales, type Sale } from './examples/nightly-import.js';
import { openTodos } from './examples/todo.js';
import { key, ownService } from './support/service.js';

/** The programs of `examples/`, over a server whose clock the test moves (docs/testing.md). */
describe('the example programs', { concurrency: false }, () => {
  const service = ownService('--test');
  const open = () => Basedrive(key, { url: service.url });

  async function post(path: string, body: object): Promise<Response> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${service.url}/_test/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 200);
    return answer;
  }
  async function serverSeconds(advance: object = {}): Promise<number> {
    const { now } = (await (await post('clock', advance)).json()) as { now: string };
    return Math.floor(Date.parse(now) / 1000);
  }

  test('a to-do list keeps its order, and each entry is done by one', async () => {
    const todos = openTodos(open(), 'home');
    const keys: string[] = [];
    for (const text of ['wash', 'cook', 'sleep']) keys.push(await todos.add(text));
    await openTodos(open(), 'work').add('meet');
    const done = await Promise.all(['ann', 'bob', 'eve'].map((by) => todos.finish(keys[1] as string, by)));
    assert.equal(done.filter((item) => item !== undefined).length, 1);
    assert.deepEqual(await todos.open(), ['wash', 'sleep']);
    assert.deepEqual(
      (await todos.clear()).map(({ text }) => text),
      ['cook'],
    );
    assert.deepEqual(await todos.clear(), []);
  });

  test('a gallery takes pictures of any size by a link, and shows the newest', async () => {
    const gallery = openGallery(open());
    const large = new Blob([new Uint8Array(12 * 1024 * 1024)], { type: 'image/jpeg' });
    for (const [name, picture] of [
      ['a.png', new Blob(['a cat'], { type: 'image/png' })],
      ['b.jpg', large],
    ] as const) {
      await gallery.send(await gallery.invite(name), picture);
      await serverSeconds({ advance: '1m' });
    }
    await gallery.describe('a.png', 'Ann', 'A cat');
    await assert.rejects(
      gallery.send(await gallery.invite('c.txt'), new Blob(['text'], { type: 'text/plain' })),
    );
    const [b, a] = await gallery.newest(2);
    assert.deepEqual([b?.name, b?.size, a?.name], ['b.jpg', large.size, 'a.png']);
    assert.deepEqual([a && 'by' in a && a.by, a && 'title' in a && a.title], ['Ann', 'A cat']);
    assert.equal(await (await fetch(a?.url ?? '')).text(), 'a cat');
    await serverSeconds({ advance: '1h' });
    assert.equal((await fetch(a?.url ?? '')).status, 403);
  });

  test('a job queue gives each job to one worker, and again when that does not come back', async () => {
    let now = await serverSeconds();
    const queue = await openQueue(open(), () => now);
    for (let n = 0; n < 30; n++) await queue.add(`task ${n}`);
    const taken = (await Promise.all(Array.from({ length: 5 }, () => queue.take(4)))).flat();
    assert.equal(new Set(taken.map((job) => job.key)).size, 20);
    assert.equal(taken.length, 20);
    await Promise.all(taken.slice(0, 15).map((job) => queue.finish(job.key)));
    assert.deepEqual(await queue.report(), { new: 10, taken: 5 });
    assert.equal((await queue.take(100)).length, 10);
    assert.deepEqual(await queue.take(100), []);
    for (let tries = 2; tries <= 3; tries++) {
      now += 61;
      assert.equal((await queue.take(100)).length, 15);
    }
    now += 61;
    assert.deepEqual(await queue.take(100), []);
    assert.deepEqual(await queue.report(), { failed: 15 });
  });

  test('a nightly import stores what is right, says what is not, and its report is gone after 90 days', async () => {
    async function* sales(): AsyncGenerator<Sale> {
      for (let n = 0; n < 2000; n++) {
        yield {
          key: n === 7 ? '' : `s${n}`,
          city: n % 2 ? 'Oslo' : 'Rome',
          at: '2026-01-02T10:00:00Z',
          total: 0.1,
        };
      }
    }
    const text = await importSales(open(), '2026-01-02', sales());
    assert.match(
      text,
      /^2026-01-02: 1999 stored, 1 refused\nRome: 1000 sales, 100, at most 0.1\nOslo: 999 sales, 99.9, /,
    );
    assert.match(text, /\n\{"key":"",.*: .*key/);
    const reports = open().Drive('reports');
    const { files } = await reports.list({ details: true });
    assert.deepEqual(files?.[0]?.metadata, { stored: '1999', refused: '1' });
    // Again: nothing is there twice.
    assert.equal(await importSales(open(), '2026-01-02', sales()), text);
    await serverSeconds({ advance: '91d' });
    assert.equal(await reports.get('2026-01-02.txt'), null);
  });
});
