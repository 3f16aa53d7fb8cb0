import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlimitedGrant } from '../../src/access/grant.js';
import { allNames } from '../../src/access/name-set.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { cursorOf } from '../../src/feed/position.js';
import { createFeedService } from '../../src/feed/service.js';
import { openStoredLog } from '../../src/feed/stored-log.js';

const reader = { project: 'demo', grant: unlimitedGrant('k', 'demo'), isOver: () => false };
const asked = { bases: allNames, drives: allNames, prefix: '', query: undefined, values: false };

test('whoever asks when the server stops already is told to try again; whoever reads comes to the end', async () => {
  const items = await openLevelStore({ memory: true });
  const feed = createFeedService(items, await openStoredLog(items, Date.now, true), Date.now);
  const reading = feed.follow(reader, asked, undefined);
  // Where it begins, and that nothing is there.
  assert.equal((await reading.next()).value?.isLive, false);
  assert.equal((await reading.next()).value?.isLive, true);
  const next = reading.next();
  feed.stop();
  assert.equal((await next).done, true);
  await assert.rejects(feed.follow(reader, asked, undefined).next(), { status: 503 });
  await items.close();
});

test('whoever loses the first batch goes on from where it began, and misses no deletion', async (context) => {
  const items = await openLevelStore({ memory: true });
  const feed = createFeedService(items, await openStoredLog(items, Date.now, true), Date.now);
  context.after(async () => {
    feed.stop();
    await items.close();
  });
  const key = 'a';
  const value = Buffer.from(JSON.stringify({ key }));
  await items.transact('base/demo/users', [], () => ({ puts: [{ key, value }], result: undefined }));
  for (const since of ['0', undefined]) {
    const reading = feed.follow(reader, asked, since);
    const begin = (await reading.next()).value;
    assert.deepEqual(begin?.changes, []);
    if (since === undefined)
      await items.transact('base/demo/users', [], () => ({ puts: [{ key, value }], result: undefined }));
    for await (const { changes } of reading) {
      if (changes.length === 0) continue;
      assert.deepEqual(typesIn(changes), ['put']);
      break;
    }
    await items.transact('base/demo/users', [], () => ({ deletes: [key], result: undefined }));
    const again = feed.follow(reader, asked, cursorOf(begin.position));
    const types: string[] = [];
    for await (const { changes, isLive } of again) {
      types.push(...typesIn(changes));
      if (isLive) break;
    }
    assert.equal(types.at(-1), 'delete');
  }
});

function typesIn(changes: readonly string[] = []): readonly string[] {
  return changes.map((change) => (JSON.parse(change) as { type: string }).type);
}
