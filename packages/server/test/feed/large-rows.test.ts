import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unlimitedGrant } from '../../src/access/grant.js';
import { allNames, nameSet } from '../../src/access/name-set.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { cursorOf } from '../../src/feed/position.js';
import { createFeedService } from '../../src/feed/service.js';
import { openStoredLog, type StoredLog } from '../../src/feed/stored-log.js';
import { temporaryFolder } from '../support/level-folder.js';

const grant = unlimitedGrant('k', 'demo');
const everything = { bases: allNames, drives: allNames, prefix: '', query: undefined, values: false };
const notesBytes = 400 * 1024;

/** Puts items with long keys in one transaction: a large row of the log. */
async function putMany(items: ItemStore, base: string, row: number): Promise<readonly string[]> {
  const keys = Array.from({ length: 500 }, (_, n) => `${row}-${n}-`.padEnd(notesBytes / 500, 'k'));
  const puts = keys.map((key) => ({ key, value: Buffer.from(JSON.stringify({ key })) }));
  await items.transact(`base/demo/${base}`, [], () => ({ puts, result: undefined }));
  return keys;
}

/** A store whose scans are counted. */
function counting(items: ItemStore) {
  const read = { bytes: 0 };
  const scan: ItemStore['scan'] = async function* (space, range) {
    for await (const batch of items.scan(space, range)) {
      for (const { value } of batch) read.bytes += value.length;
      yield batch;
    }
  };
  return { read, counted: { ...items, scan } };
}

/** The keys of a few changes from a cursor on, and whether nothing more is there. */
async function readSome(items: ItemStore, log: StoredLog, since: string | undefined, most = 250) {
  const feed = createFeedService(items, log, Date.now);
  const reader = { project: 'demo', grant, isOver: () => false, most: () => most };
  try {
    for await (const { changes, position, isLive } of feed.follow(reader, everything, since)) {
      const keys = changes.map((change) => (JSON.parse(change) as { key: string }).key);
      return { keys, cursor: cursorOf(position), isLive };
    }
    throw new Error('the feed ended');
  } finally {
    feed.stop();
  }
}

describe('large rows of the log of changes', () => {
  test('a reader who is far back reads few of them at once, and each change comes once', async (t) => {
    const items = await openLevelStore({ folder: await temporaryFolder(t), create: true });
    const log = await openStoredLog(items, Date.now, true);
    assert.ok(log);
    let { cursor } = await readSome(items, log, undefined);
    const put: string[] = [];
    for (let row = 0; row < 10; row++) put.push(...(await putMany(items, 'users', row)));
    const { counted, read } = counting(items);
    const found: string[] = [];
    for (let isLive = false; !isLive; ) {
      read.bytes = 0;
      const some = await readSome(counted, log, cursor);
      ({ cursor, isLive } = some);
      found.push(...some.keys);
      assert.ok(read.bytes < 3 * notesBytes, `read ${read.bytes} bytes`);
    }
    assert.deepEqual(found, put);
    await items.close();
  });

  test('a reader who is far back decodes only rows whose changes it takes', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    assert.ok(log);
    const { cursor } = await readSome(items, log, undefined);
    const value = Buffer.from('{}');
    for (let row = 0; row < 200; row++) {
      const puts = Array.from({ length: 10 }, (_, n) => ({ key: `${row}-${n}`.padEnd(20, 'k'), value }));
      await items.transact('base/demo/users', [], () => ({ puts, result: undefined }));
    }
    let decoded = 0;
    const scan: ItemStore['scan'] = async function* (space, range) {
      for await (const batch of items.scan(space, range)) {
        for (const { value } of batch)
          value.toString = (...how) => {
            decoded++;
            return Buffer.prototype.toString.apply(value, how);
          };
        yield batch;
      }
    };
    const { keys } = await readSome({ ...items, scan }, log, cursor);
    assert.equal(keys.length, 10);
    // A reader holds the notes of 64 KiB: some 45 rows.
    assert.ok(decoded >= 1 && decoded <= 50, `${decoded} of 200 rows`);
    await items.close();
  });

  test('a cursor within a row goes on there, whatever is followed and however much at once', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    assert.ok(log);
    const { cursor: start } = await readSome(items, log, undefined);
    const put = [...(await putMany(items, 'users', 0)), ...(await putMany(items, 'others', 1))];
    for (const most of [7, 100, 499, 501]) {
      const found: string[] = [];
      let cursor = start;
      for (let isLive = false; !isLive; ) {
        const some = await readSome(items, log, cursor, most);
        ({ cursor, isLive } = some);
        assert.ok(some.keys.length <= most);
        found.push(...some.keys);
      }
      assert.deepEqual(found, put);
    }
    await items.close();
  });

  test('the end of a log that is shared by its readers is bounded by bytes', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    assert.ok(log);
    const { counted, read } = counting(items);
    const feed = createFeedService(counted, log, Date.now);
    const reader = { project: 'demo', grant, isOver: () => false };
    const first = feed.follow(reader, everything, undefined);
    const begun = await first.next();
    assert.equal(begun.done, false);
    const since = cursorOf((begun.value as { position: Parameters<typeof cursorOf>[0] }).position);
    for (let row = 0; row < 10; row++) await putMany(items, 'users', row);
    // Whoever is further back than what is remembered reads the log; whoever is not reads nothing.
    let last = since;
    for (let changes = 0; changes < 10 * 500; ) {
      const { value } = await first.next();
      changes += value?.changes.length ?? 0;
      if (value !== undefined && value.changes.length > 0) last = cursorOf(value.position);
    }
    for (const [cursor, isRead] of [
      [since, true],
      [last, false],
    ] as const) {
      read.bytes = 0;
      const next = feed.follow(reader, everything, cursor);
      await next.next();
      assert.equal(read.bytes > 0, isRead);
    }
    feed.stop();
    await items.close();
  });

  test('what is followed may change between two requests', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    assert.ok(log);
    const { cursor } = await readSome(items, log, undefined);
    const key = (name: string) => ({ key: name, value: Buffer.from(`{"key":"${name}"}`) });
    const puts = ['a1', 'b1', 'a2', 'b2'].map(key);
    await items.transact('base/demo/users', [], () => ({ puts, result: undefined }));
    const feed = createFeedService(items, log, Date.now);
    const some = async (prefix: string, since: string) => {
      const reader = { project: 'demo', grant, isOver: () => false, most: () => 1 };
      const asked = { ...everything, bases: nameSet(['users']), prefix };
      const { value } = await feed.follow(reader, asked, since).next();
      assert.ok(value);
      return { changes: value.changes, cursor: cursorOf(value.position) };
    };
    const first = await some('', cursor);
    assert.match(String(first.changes), /"a1"/);
    // b1 is the first of those that begin with b, and was not given.
    assert.match(String((await some('b', first.cursor)).changes), /"b1"/);
    feed.stop();
    await items.close();
  });
});
