import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FrameWriter } from '../../../src/server/fronts/frame-writer.js';
import { frameKinds } from '../../../src/server/fronts/frames.js';

/** The socket of a writer: the system takes what was written when `take` is called. */
function slowSocket() {
  let taken: (() => void) | undefined;
  const socket = new Writable({
    writev(_chunks, done) {
      taken = done;
    },
  });
  return {
    writer: new FrameWriter(socket as Socket),
    async take() {
      taken?.();
      taken = undefined;
      // The next flush begins.
      for (let n = 0; n < 3; n++) await nextTurn();
    },
  };
}

const large = Buffer.alloc(100_000, 1);

test('while the system is full, what comes next is told when it was taken itself, and once', async () => {
  const { writer, take } = slowSocket();
  writer.bytes(frameKinds.data, 1, large);
  await nextTurn();
  let told = 0;
  writer.bytes(frameKinds.data, 1, large);
  writer.onSent(() => void told++);
  await take();
  assert.equal(told, 0);
  await take();
  await take();
  assert.equal(told, 1);
});

test('bytes that were not copied are not told as sent while the system does not have them', async () => {
  const { writer, take } = slowSocket();
  writer.bytes(frameKinds.data, 1, large);
  await nextTurn();
  let isTold = false;
  writer.bytes(frameKinds.data, 1, large.subarray(0, 10));
  writer.onSent(() => {
    isTold = true;
  });
  assert.equal(isTold, false);
  await take();
  await take();
  assert.equal(isTold, true);
});

test('who waits until all was taken is told, also when nothing comes next', async () => {
  const { writer, take } = slowSocket();
  writer.bytes(frameKinds.data, 1, large);
  await nextTurn();
  let told = 0;
  writer.whenEmpty(() => void told++);
  await take();
  assert.equal(told, 1);
  writer.whenEmpty(() => void told++);
  await take();
  assert.equal(told, 2);
});
