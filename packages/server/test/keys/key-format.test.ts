import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  newApiKey,
  newKeyId,
  newProject,
  operatorKeyProblem,
  projectOf,
  projectProblem,
} from '../../src/keys/key-format.js';

test('a new key has exactly one _ and at least 160 random bits of letters and digits', () => {
  const [project, secret, ...more] = newApiKey('my-shop').split('_');
  assert.equal(project, 'my-shop');
  assert.deepEqual(more, []);
  assert.match(secret ?? '', /^[A-Za-z0-9]+$/);
  assert.ok((secret?.length ?? 0) * Math.log2(62) >= 160);
});

test('all letters of a secret are equally likely', () => {
  const counts = new Map<string, number>();
  const keys = 3000;
  for (let i = 0; i < keys; i++) {
    for (const letter of newApiKey('a').slice(2)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  // Of 96,000 letters each should come 1,548 times, give or take 39; eight times that is beyond any luck.
  const expected = (keys * 32) / 62;
  for (const [letter, count] of counts)
    assert.ok(Math.abs(count - expected) < 8 * Math.sqrt(expected), letter);
});

test('random keys and projects obey the rules', () => {
  assert.equal(projectProblem(newProject()), undefined);
  assert.match(newKeyId(), /^[a-z0-9]{12}$/);
  assert.equal(operatorKeyProblem(newApiKey(newProject())), undefined);
});

test('the project of a key is what is before its first _', () => {
  assert.equal(projectOf('demo_s3cret'), 'demo');
  assert.equal(projectOf('demo_a_b'), 'demo');
});
