import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlimitedGrant } from '../../src/access/grant.js';
import { allNames } from '../../src/access/names.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createFeedService } from '../../src/feed/service.js';
import { openStoredLog } from '../../src/feed/stored-log.js';

test('whoever asks when the server stops already is told to try again; whoever reads comes to the end', async () => {
  const items = await openLevelStore({ memory: true });
  const feed = createFeedService(items, await openStoredLog(items, Date.now, true), Date.now);
  const reader = { project: 'demo', grant: unlimitedGrant('k', 'demo'), isOver: () => false };
  const asked = { bases: allNames, drives: allNames, prefix: '', query: undefined, values: false };
  const reading = feed.follow(reader, asked, undefined);
  assert.equal((await reading.next()).value?.isLive, true);
  const next = reading.next();
  feed.stop();
  assert.equal((await next).done, true);
  await assert.rejects(feed.follow(reader, asked, undefined).next(), { status: 503 });
  await items.close();
});
