import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrontRoom, leastWindowBytes } from '../../../src/server/fronts/front-room.js';

const mib = 1024 * 1024;

test('thousands of clients that do not read take a bounded memory, and each may still have a little', () => {
  const room = new FrontRoom();
  let all = 0;
  for (let n = 0; n < 1000; n++) {
    const window = room.window();
    assert.ok(window >= leastWindowBytes);
    room.change(0, window);
    all += window;
  }
  assert.ok(all <= 16 * mib + 1000 * leastWindowBytes, `${all} bytes`);
});

test('what clients have read can be used again', () => {
  const room = new FrontRoom();
  const first = room.window();
  for (let n = 0; n < 500; n++) room.change(0, first);
  assert.equal(room.window(), leastWindowBytes);
  for (let n = 0; n < 500; n++) room.change(first, 0);
  assert.equal(room.window(), first);
});
