import assert from 'node:assert/strict';
import { RequestError } from '../../src/request-error.js';

/** The messages of the 400 that reading a body throws. */
export function messagesOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (cause) {
    assert.ok(cause instanceof RequestError, String(cause));
    assert.equal(cause.status, 400);
    return cause.problems.map(({ message }) => message);
  }
  assert.fail('the body was accepted');
}
