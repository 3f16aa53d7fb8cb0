import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonError } from '../../src/json/parse.js';
import { refused } from '../../src/request-error.js';

test('what a caller did wrong costs no stack, and other errors keep theirs', () => {
  const frames = ({ stack = '' }: Error) => stack.split('\n').length - 1;
  assert.equal(frames(refused('not_found', 'Not found')), 0);
  assert.equal(frames(new JsonError('invalid_json', 'is not JSON')), 0);
  assert.ok(frames(new Error('a fault')) > 0);
});
