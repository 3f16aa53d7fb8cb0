import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { unlessAborted } from '../../../src/lib/concurrency/unless-aborted.js';

test('works that end leave no listener on a signal that outlives them', async () => {
  const { signal } = new AbortController();
  for (let count = 0; count < 20; count++) {
    assert.equal(await unlessAborted(Promise.resolve(count), signal), count);
    await assert.rejects(unlessAborted(Promise.reject(new Error('broken')), signal), /broken/);
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an abort ends the wait, and what becomes of the work is ignored', async () => {
  const controller = new AbortController();
  const { promise, reject } = withReject();
  const waiting = unlessAborted(promise, controller.signal);
  controller.abort();
  assert.equal(await waiting, undefined);
  reject(new Error('too late'));
  assert.equal(await unlessAborted(Promise.reject(new Error('too late')), controller.signal), undefined);
});

function withReject() {
  let reject: (cause: Error) => void = () => {};
  const promise = new Promise<void>((_, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
