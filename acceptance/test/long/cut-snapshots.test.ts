import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, changesPath, Follower, openFeed } from '../../src/feed.js';
import { freshBase } from '../../src/names.js';
import { createRandom } from '../../src/random.js';
import { expectStatus } from '../support/expect.js';
import { useService } from '../support/service.js';

/** `BASEDRIVE_SNAPSHOT_ITEMS=1000000` for the whole. */
const count = Number(process.env.BASEDRIVE_SNAPSHOT_ITEMS ?? 20_000);
const seed = Number(process.env.BASEDRIVE_SNAPSHOT_SEED ?? 3);
const cutsOfAll = 40;
/** A cursor comes after 250 changes at most: so a connection goes on, now and then. */
const leastLines = 600;
const linesAtOnce = 20_000;
const type = 'application/x-ndjson';

const service = useService();

test(`a snapshot of ${count} items and its continuation, cut at any moment, end with what is stored (seed ${seed})`, async (context) => {
  const { api } = service;
  const random = createRandom(seed);
  const base = freshBase(api);
  const name = decodeURIComponent(base.root.split('/').at(-1) ?? '');
  const keyOf = (n: number) => `k${String(n).padStart(7, '0')}`;
  for (let at = 0; at < count; at += linesAtOnce) {
    const some = Array.from({ length: Math.min(linesAtOnce, count - at) }, (_, n) => at + n);
    const body = some.map((n) => `{"key":"${keyOf(n)}","n":${n}}\n`).join('');
    expectStatus(await base.sendText('PUT', '/items', body, type), 200);
  }

  // What is behind the cursor and what is ahead of it changes as long as the snapshot is read.
  let isOver = false;
  let written = 0;
  const writing = (async () => {
    while (!isOver) {
      const keys = Array.from({ length: 5 }, () => keyOf(random.int(count)));
      await base.put(...keys.map((key) => ({ key, changed: written })), { key: `new${written}` });
      await base.remove(keyOf(random.int(count)));
      written++;
    }
  })();

  const follower = new Follower();
  let since = '0';
  let cuts = 0;
  /** Follows from the cursor on, and cuts the connection after so many lines, or when `isEnd` says so. */
  async function follow(lines: number, isEnd: (line: string) => boolean): Promise<boolean> {
    const stream = await openFeed(api, changesPath(api, { since, bases: name }), { accept: type });
    assert.equal(stream.status, 200);
    try {
      for (let read = 0; read < lines; read++) {
        const { value, done } = await stream.lines.next();
        assert.ok(!done);
        const told = JSON.parse(value) as { cursor?: string } & Change;
        if (told.cursor === undefined) follower.apply(told);
        else since = told.cursor;
        if (isEnd(value)) return true;
      }
      return false;
    } finally {
      stream.cut();
    }
  }
  const isLive = (line: string) => line.endsWith('"live":true}');
  const mostLines = Math.max(leastLines, Math.ceil((2 * count) / cutsOfAll));
  while (!(await follow(random.int(mostLines), isLive))) cuts++;
  isOver = true;
  await writing;
  const more = [];
  for (let n = 0; n < 200; n++) more.push(base.put({ key: keyOf(n), last: n }), base.remove(keyOf(200 + n)));
  await Promise.all(more);
  while (!(await follow(random.int(leastLines), isLive))) cuts++;

  const stored = await api.send('GET', `${base.root}/items`);
  expectStatus(stored, 200);
  const lines = stored.text.split('\n').filter(Boolean);
  assert.equal(follower.items.size, lines.length);
  for (const line of lines) {
    const item = JSON.parse(line) as { key: string };
    assert.deepEqual(follower.items.get(JSON.stringify([name, item.key])), item);
  }
  assert.ok(cuts > 2 && written > 0, `${cuts} ${written}`);
  context.diagnostic(`${lines.length} items, ${cuts} cuts, ${7 * written + 400} changes meanwhile`);
});
