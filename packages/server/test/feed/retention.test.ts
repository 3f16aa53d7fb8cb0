import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unlimitedGrant } from '../../src/access/grant.js';
import { allNames } from '../../src/access/name-set.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { cursorOf } from '../../src/feed/position.js';
import { createDropOld } from '../../src/feed/retention.js';
import { createFeedService } from '../../src/feed/service.js';
import { openStoredLog, type StoredLog } from '../../src/feed/stored-log.js';
import { RequestError } from '../../src/request-error.js';

const hourMs = 3_600_000;
const reader = { project: 'demo', grant: unlimitedGrant('k', 'demo'), isOver: () => false };
const everything = { bases: allNames, drives: allNames, prefix: '', query: undefined, values: false };

async function put(items: ItemStore, key: string): Promise<void> {
  const value = Buffer.from(JSON.stringify({ key }));
  await items.transact('base/demo/users', [], () => ({ puts: [{ key, value }], result: undefined }));
}

/** The keys of what a reader gets from a cursor on that is there now, and the next cursor. */
async function read(items: ItemStore, log: StoredLog | undefined, since?: string) {
  const feed = createFeedService(items, log, Date.now);
  const keys: string[] = [];
  try {
    for await (const { changes, position, isLive } of feed.follow(reader, everything, since)) {
      keys.push(...changes.map((change) => (JSON.parse(change) as { key: string }).key));
      if (isLive) return { keys, cursor: cursorOf(position) };
    }
    throw new Error('the feed ended');
  } finally {
    feed.stop();
  }
}

function isTooOld(cause: unknown): boolean {
  return cause instanceof RequestError && cause.status === 410;
}

describe('the log of changes', () => {
  test('is counted anew by a server that does maintenance again, after another has dropped rows', async () => {
    const items = await openLevelStore({ memory: true });
    let now = Date.now();
    const clock = () => now;
    await openStoredLog(items, clock, true);
    const rowsIn = async () => {
      let rows = 0;
      for await (const batch of items.scan('changes/demo', { lt: 'kept' })) rows += batch.length;
      return rows;
    };
    await put(items, 'k');
    let rowBytes = 0;
    for await (const [row] of items.scan('changes/demo', { limit: 1 })) rowBytes = row?.value.length ?? 0;
    const options = { items, clock, log: console, keepMs: hourMs, mayWork: () => true };
    const one = createDropOld({ ...options, maxLogBytes: 12 * rowBytes });
    const other = createDropOld({ ...options, maxLogBytes: 12 * rowBytes });
    for (let round = 0; round < 4; round++) {
      await one();
      now += 2 * hourMs;
      await other();
      assert.equal(await rowsIn(), 0);
      for (let n = 0; n < 8; n++) await put(items, 'k');
    }
    await one();
    assert.equal(await rowsIn(), 8, 'fewer than there may be, and all new');
    await items.close();
  });

  test('drops what is older than it is kept, and says so to whoever is further back', async () => {
    const items = await openLevelStore({ memory: true });
    let now = Date.now();
    const clock = () => now;
    const log = await openStoredLog(items, clock, true);
    const { cursor: start } = await read(items, log);
    await put(items, 'a');
    const { keys, cursor } = await read(items, log, start);
    assert.deepEqual(keys, ['a']);
    now += 2 * hourMs;
    await put(items, 'b');
    const dropOld = createDropOld({ items, clock, log: console, keepMs: hourMs, mayWork: () => true });
    await dropOld();
    await assert.rejects(read(items, log, start), isTooOld);
    assert.deepEqual((await read(items, log, cursor)).keys, ['b']);
    assert.deepEqual((await read(items, log, '0')).keys, ['a', 'b']);
    await items.close();
  });

  test('drops the oldest when a project has too many bytes of them', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    const { cursor: start } = await read(items, log);
    const cursors: string[] = [];
    for (let n = 0; n < 20; n++) {
      await put(items, `k${n}`);
      cursors.push((await read(items, log)).cursor);
    }
    const [row] = (await items.scan('changes/demo', { limit: 1 })[Symbol.asyncIterator]().next()).value;
    const maxLogBytes = 5 * row.value.length + 5;
    const options = {
      items,
      clock: Date.now,
      log: console,
      keepMs: hourMs,
      mayWork: () => true,
      maxLogBytes,
    };
    const dropOld = createDropOld(options);
    await dropOld();
    await assert.rejects(read(items, log, start), isTooOld);
    await assert.rejects(read(items, log, cursors[10]), isTooOld);
    assert.deepEqual((await read(items, log, cursors[16])).keys, ['k17', 'k18', 'k19']);
    // Counted as it grows.
    for (let n = 20; n < 40; n++) await put(items, `k${n}`);
    await dropOld();
    await assert.rejects(read(items, log, cursors[16]), isTooOld);
    await items.close();
  });

  test('begins anew when changes were not noted for a while', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    await put(items, 'a');
    const { cursor } = await read(items, log);
    const again = await openStoredLog(items, Date.now, true);
    assert.deepEqual((await read(items, again, cursor)).keys, []);
    assert.equal(await openStoredLog(items, Date.now, false), undefined);
    await put(items, 'b');
    const anew = await openStoredLog(items, Date.now, true);
    await assert.rejects(read(items, anew, cursor), isTooOld);
    assert.deepEqual((await read(items, anew, '0')).keys, ['a', 'b']);
    await items.close();
  });

  test('a reader that is far back reads the log itself, and reaches the end', async () => {
    const items = await openLevelStore({ memory: true });
    const log = await openStoredLog(items, Date.now, true);
    const { cursor } = await read(items, log);
    const wanted = Array.from({ length: 2500 }, (_, n) => `k${n}`);
    for (const key of wanted) await put(items, key);
    assert.deepEqual((await read(items, log, cursor)).keys, wanted);
    await items.close();
  });
});
