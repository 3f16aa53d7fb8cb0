import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrontWindows, leastWindowBytes } from '../../../src/server/fronts/flow-control.js';

const mib = 1024 * 1024;

test('thousands of clients that do not read take a bounded memory, and each may still have a little', () => {
  const windows = new FrontWindows();
  let all = 0;
  for (let n = 0; n < 1000; n++) {
    const window = windows.window();
    assert.ok(window >= leastWindowBytes);
    windows.change(0, window);
    all += window;
  }
  assert.ok(all <= 16 * mib + 1000 * leastWindowBytes, `${all} bytes`);
});

test('what clients have read can be used again', () => {
  const windows = new FrontWindows();
  const first = windows.window();
  for (let n = 0; n < 500; n++) windows.change(0, first);
  assert.equal(windows.window(), leastWindowBytes);
  for (let n = 0; n < 500; n++) windows.change(first, 0);
  assert.equal(windows.window(), first);
});
