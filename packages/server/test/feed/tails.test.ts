import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeLog } from '../../src/engines/change-log.js';
import { createTails } from '../../src/feed/tails.js';

test('a tail is up to date as of the call, whenever in the read before it the call comes', async (context) => {
  // The log ends where this counter says, and has no rows: that is all that a tail asks of it.
  let end = 0;
  const text = () => `a${String(end).padStart(3, '0')}`;
  const log = { complete: async () => text(), onCommit: () => () => {} } as unknown as ChangeLog;
  const tails = createTails({ async *scan() {} }, log);
  context.after(() => tails.stop());
  await tails.join('changes');
  for (let steps = 0; steps < 30; steps++) {
    const reading = tails.join('changes');
    for (let step = 0; step < steps; step++) await undefined;
    end++;
    const { tail } = await tails.join('changes');
    assert.equal(tail.from('a000')?.next, text(), `${steps} steps after the read began`);
    await reading;
  }
});
