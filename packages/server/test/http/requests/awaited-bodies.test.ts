import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBodies } from '../../../src/http/requests/bodies/awaited-bodies.js';

test('one body too many ends that whose client has been silent for the longest', () => {
  const awaited = new AwaitedBodies(3);
  const ended: string[] = [];
  const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ end: () => ended.push(name) }));
  assert.ok(a && b && c && d && e && f);
  for (const body of [a, b, c]) awaited.wait(body);
  // Bytes of `a` have arrived.
  awaited.wait(a);
  assert.deepEqual(ended, []);
  awaited.wait(d);
  assert.deepEqual(ended, ['b']);
  // What is whole takes no place.
  awaited.done(c);
  awaited.wait(e);
  assert.deepEqual(ended, ['b']);
  awaited.wait(f);
  assert.deepEqual(ended, ['b', 'a']);
});
