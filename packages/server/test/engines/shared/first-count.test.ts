import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFirstCount } from '../../../src/engines/first-count.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { createRest } from '../../../src/store/upkeep-pace.js';

const kind = { prefix: 'count/', range: { prefix: 'name/' }, bytesOf: () => 1, isWanted: () => true };

test('a count rests for its own time, and not for the time since the one before', async () => {
  const items = await openLevelStore({ memory: true });
  for (const space of ['drive/demo/a', 'drive/demo/b']) {
    const puts = [{ key: 'name/x', value: Buffer.from('{}') }];
    await items.transact(space, [], () => ({ puts, result: undefined }));
  }
  let nowMs = 0;
  const { signal } = new AbortController();
  const pace = { share: 0.2, monotonicMs: () => nowMs, signal };
  const count = createFirstCount(items, [kind], {
    mayWork: () => true,
    onError: (cause) => assert.fail(String(cause)),
    beginRests: () => createRest(pace),
  });
  await count.run('drive/demo/a');
  // A day passes. With the rests of before, this count would now rest for four.
  nowMs += 86_400_000;
  await count.run('drive/demo/b');
  assert.match(String(await items.get('drive/demo/b', 'count/')), /"rows":1/);
  await items.close();
});
