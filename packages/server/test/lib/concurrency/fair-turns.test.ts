import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairTurns } from '../../../src/lib/concurrency/fair-turns.js';

const late = () => new Error('late');

test('a turn that is free is taken without a promise; others wait in turns of their owners', async () => {
  const turns = createFairTurns(2, 60_000, late);
  assert.equal(turns.take('a'), undefined);
  assert.equal(turns.take('a'), undefined);
  const admitted: string[] = [];
  for (const owner of ['a', 'a', 'a', 'b', 'b', 'c'])
    void turns.take(owner)?.then(() => admitted.push(owner));
  for (let n = 0; n < 6; n++) {
    await nextTurn();
    assert.equal(admitted.length, n);
    turns.end();
  }
  await nextTurn();
  assert.deepEqual(admitted, ['a', 'b', 'c', 'a', 'b', 'a']);
  turns.end();
  assert.equal(turns.take('b'), undefined);
  assert.ok(turns.take('b') !== undefined);
  turns.end();
});

test('who waits for too long fails, and takes no turn from those who come later', async () => {
  const turns = createFairTurns(1, 5, late);
  assert.equal(turns.take('a'), undefined);
  await Promise.all(
    ['a', 'b', 'a'].map((owner) => assert.rejects(turns.take(owner) as Promise<void>, /late/)),
  );
  const next = turns.take('a');
  turns.end();
  await next;
  turns.end();
  assert.equal(turns.take('b'), undefined);
});
