import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwaitedBodies } from '../../../src/http/requests/bodies/awaited-bodies.js';

test('one body too many ends that whose client has been silent for the longest', () => {
  const awaited = new AwaitedBodies(3);
  const ended: string[] = [];
  const [a, b, c, d, e, f] = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
    owner: 'p',
    end: () => ended.push(name),
  }));
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

test('a project whose many bodies trickle does not end the one of another project', () => {
  const awaited = new AwaitedBodies(3);
  const ended: string[] = [];
  const bodyOf = (owner: string | undefined, name: string) => ({ owner, end: () => ended.push(name) });
  const slow = bodyOf('victim', 'slow');
  awaited.wait(slow);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => bodyOf('attacker', name));
  assert.ok(a && b && c && d);
  for (const body of [a, b, c]) awaited.wait(body);
  assert.deepEqual(ended, ['a']);
  awaited.wait(b);
  awaited.wait(d);
  assert.deepEqual(ended, ['a', 'c']);
  // Bodies whose project is not known are as if of one project.
  const forms = ['x', 'y', 'z'].map((name) => bodyOf(undefined, name));
  for (const form of forms) awaited.wait(form);
  assert.deepEqual(ended, ['a', 'c', 'b', 'x', 'y']);
});
