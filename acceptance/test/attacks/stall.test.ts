import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runStall } from '../../src/stall/run.js';
import { launchStoredTarget } from '../../src/target.js';

/** `npm run test:stall` holds a server on an idle machine to 50 ms; here the machine has other things to do. */
const maxWaitMs = 400;

/** The short form; `npm run test:stall` is the long one. */
test('no single request, however much work it asks for, makes a parallel GET wait', async (context) => {
  // With rows in memory, a batch is written in JavaScript, which takes 30 µs of the event loop for each row.
  const target = await launchStoredTarget();
  try {
    const reports = await runStall(target, { scale: 0.1, maxWaitMs, maxTries: 3 });
    for (const { name, status, tookMs, longestWaitMs } of reports) {
      context.diagnostic(
        `${name}: ${status} in ${tookMs.toFixed(0)} ms, a GET waited ${longestWaitMs.toFixed(1)} ms`,
      );
    }
    const tooLong = reports.filter(({ longestWaitMs }) => longestWaitMs > maxWaitMs);
    assert.deepEqual(tooLong, []);
  } finally {
    await target.close();
  }
});
