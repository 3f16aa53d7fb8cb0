import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unlimitedGrant } from '../../src/access/grant.js';
import { allNames } from '../../src/access/name-set.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createFeedService } from '../../src/feed/service.js';
import { openStoredLog } from '../../src/feed/stored-log.js';
import { lines, streamAnswer } from '../../src/feed/stream-changes.js';
import { createMemoryWatch } from '../support/memory-watch.js';

const grant = unlimitedGrant('k', 'demo');
const everything = { bases: allNames, drives: allNames, prefix: '', query: undefined, values: true };
const readers = 40;
const itemBytes = 300_000;

/** Puts some large items. */
async function openStore() {
  const items = await openLevelStore({ memory: true });
  const log = await openStoredLog(items, Date.now, true);
  assert.ok(log);
  const feed = createFeedService(items, log, Date.now);
  const put = (name: string) =>
    items.transact('base/demo/large', [], () => {
      const text = JSON.stringify({ key: name, text: Math.random().toString(36).padEnd(itemBytes, 'x') });
      return { puts: [{ key: name, value: Buffer.from(text) }], result: undefined };
    });
  for (let n = 0; n < 3; n++) await put(`item ${n}`);
  return { items, feed, put };
}

/** Bytes in use by buffers and by the heap, after a garbage collection. */
function usedBytes(watch: ReturnType<typeof createMemoryWatch>): number {
  watch.sample();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('readers of the feed that are slow', () => {
  for (const since of ['0', undefined])
    test(`${since === '0' ? 'in what is there' : 'in what comes'}, each keeps one batch in memory`, async () => {
      const { items, feed, put } = await openStore();
      const watch = createMemoryWatch();
      const before = usedBytes(watch);
      const held: Buffer[] = [];
      const streams = await Promise.all(
        Array.from({ length: readers }, async () => {
          const reader = { project: 'demo', grant, isOver: () => false };
          const { body } = await streamAnswer(feed.follow(reader, everything, since), lines);
          return (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
        }),
      );
      const next = async () => {
        held.length = 0;
        for (const { value } of await Promise.all(streams.map((stream) => stream.next()))) held.push(value);
      };
      // Where it begins.
      await next();
      // Without a cursor, the next one says that there is nothing.
      if (since === undefined) await next();
      const more = since === undefined ? put('item 0') : undefined;
      await next();
      await more;
      const sent = held.reduce((bytes, { length }) => bytes + length, 0);
      assert.ok(sent > readers * itemBytes, `each has a large item: ${sent} bytes`);
      const used = usedBytes(watch) - before;
      assert.ok(used < 1.5 * sent, `${readers} readers that have ${sent} bytes to send keep ${used}`);
      feed.stop();
      await Promise.all(streams.map((stream) => stream.return?.()));
      await items.close();
    });
});
