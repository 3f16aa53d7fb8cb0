import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createKeyRing } from '../../../src/keys/key-ring.js';
import { isFollowProgress } from '../../../src/store/standby/progress.js';
import { memoryStore, putItems, rowsOf } from '../../support/copy-fixture.js';
import { noted, startStandby } from '../../support/standby.js';

const hourMs = 3_600_000;

test('a standby has items and keys at once when its clock goes an hour ahead, and then far back, and tells no lag below 0', async (context) => {
  const now = Date.now;
  let shiftMs = 0;
  mock.method(Date, 'now', () => now() + shiftMs);
  context.after(() => mock.restoreAll());
  const source = await memoryStore(context);
  const destination = await memoryStore(context);
  const log = await noted(source);
  const keys = await createKeyRing(source.items, [], Date.now);
  await putItems(source, 'plain', ['a', 'b']);
  const standby = startStandby(context, source, destination, { log });
  const lags: number[] = [];
  const watching = standby.told((progress) => {
    if (isFollowProgress(progress)) lags.push(progress.lagSeconds);
    return false;
  });
  watching.catch(() => {});
  await standby.even();
  for (const shift of [hourMs, -hourMs]) {
    shiftMs = shift;
    await keys.create('other');
    await putItems(source, 'plain', [`of ${shift}`]);
    await source.items.transact('base/demo/plain', [], () => ({ deletes: ['a'], result: undefined }));
    // The keys are compared every two seconds, which no change of an item waits for.
    while ((await rowsOf(destination)).length !== (await rowsOf(source)).length) await standby.even();
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
  }
  await standby.stop();
  assert.ok(lags.length > 0);
  assert.deepEqual(
    lags.filter((lag) => lag < 0),
    [],
  );
});
