import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnEnd } from 'node:timers/promises';
import { createAnswerBatch } from '../../../src/http/fast-path/answer-batch.js';

/** Keeps the event loop busy for longer than an answer may wait. */
function work(): void {
  const end = performance.now() + 1;
  while (performance.now() < end);
}

test('answers of one turn are written at its end, in their order', async () => {
  // A busy machine may stop this process between two of them, for longer than an answer waits: seldom twice.
  const atEnd: boolean[] = [];
  while (atEnd.length < 20 && !atEnd.includes(true)) {
    const written: string[] = [];
    const writeTogether = createAnswerBatch();
    for (const name of ['a', 'b', 'c']) writeTogether(() => written.push(name));
    await Promise.resolve();
    atEnd.push(written.length === 0);
    await turnEnd();
    assert.deepEqual(written, ['a', 'b', 'c']);
  }
  assert.ok(atEnd.includes(true));
});

test('an answer that has waited for long is written with the next one', async () => {
  const written: string[] = [];
  const writeTogether = createAnswerBatch();
  writeTogether(() => written.push('a'));
  work();
  writeTogether(() => written.push('b'));
  assert.deepEqual(written, ['a', 'b']);
  writeTogether(() => written.push('c'));
  assert.deepEqual(written, ['a', 'b']);
  await turnEnd();
  assert.deepEqual(written, ['a', 'b', 'c']);
});

test('an answer that becomes ready while others are written is not lost', async () => {
  const written: string[] = [];
  const writeTogether = createAnswerBatch();
  writeTogether(() => {
    written.push('a');
    writeTogether(() => written.push('c'));
  });
  writeTogether(() => written.push('b'));
  await turnEnd();
  await turnEnd();
  assert.deepEqual(written, ['a', 'b', 'c']);
});
