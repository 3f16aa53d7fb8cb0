import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from '../../../src/lib/concurrency/fair-queue.js';

/** `a/1` is the key 1 of the project a. */
function waiter(text: string) {
  const [project = '', keyId = ''] = text.split('/');
  return { project, keyId };
}

function filled(...waiters: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const [index, text] of waiters.entries()) queue.push(waiter(text), `${text} ${index}`);
  return queue;
}

function drained(queue: FairQueue<string>): string[] {
  const values: string[] = [];
  for (let size = queue.size; size > 0; size--) {
    const { first } = queue;
    assert.equal(queue.size, size);
    assert.equal(queue.shift(), first);
    values.push(first as string);
  }
  assert.equal(queue.first, undefined);
  assert.equal(queue.shift(), undefined);
  return values;
}

test('the values of one key come in their order', () => {
  assert.deepEqual(drained(filled('a/1', 'a/1', 'a/1')), ['a/1 0', 'a/1 1', 'a/1 2']);
});

test('projects take turns, and so do the keys of a project', () => {
  const queue = filled('a/1', 'a/1', 'a/1', 'a/2', 'b/1', 'b/1');
  assert.deepEqual(drained(queue), ['a/1 0', 'b/1 4', 'a/2 3', 'b/1 5', 'a/1 1', 'a/1 2']);
});

test('who comes late waits for one of each other project, however many those have sent', () => {
  const queue = filled(...Array(100).fill('a/1'), ...Array(100).fill('b/1'));
  queue.shift();
  queue.push(waiter('c/1'), 'late');
  const before = drained(queue).indexOf('late');
  assert.equal(before, 2);
});

test('what is over is taken out wherever it is', () => {
  const queue = filled('a/1', 'a/1', 'a/2', 'b/1', 'b/1');
  const removed = queue.remove((value) => ['a/1 0', 'a/2 2', 'b/1 3', 'b/1 4'].includes(value));
  assert.deepEqual(removed.toSorted(), ['a/1 0', 'a/2 2', 'b/1 3', 'b/1 4']);
  assert.equal(queue.sizeOf(waiter('a/1')), 1);
  assert.equal(queue.sizeOf(waiter('b/1')), 0);
  assert.deepEqual(drained(queue), ['a/1 1']);
});
