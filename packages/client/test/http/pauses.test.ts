import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDeadline, pauseAfter } from '../../src/http/deadline.js';

test('pauses after failures grow to half a minute, also after very many', async (context) => {
  context.mock.method(Math, 'random', () => 1);
  const pauses: (number | undefined)[] = [];
  const { setTimeout } = globalThis;
  context.mock.method(globalThis, 'setTimeout', (work: () => void, ms?: number) => {
    pauses.push(ms);
    return setTimeout(work, 0);
  });
  const deadline = openDeadline({});
  for (const failures of [0, 1, 3, 7, 1000]) await pauseAfter(failures, deadline);
  deadline.close();
  assert.deepEqual(pauses, [250, 500, 2000, 30_000, 30_000]);
});
