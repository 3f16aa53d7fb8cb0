import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockBytes, giveBack, lend, takeBlock } from '../../src/lib/block-pool.js';

test('a block is used again when all bytes that were lent of it are back, and not before', () => {
  const block = takeBlock(blockBytes);
  const { buffer } = block;
  const [first, second] = [lend(block.subarray(0, 1000)), lend(block.subarray(1000, 5000))];
  lend(second);
  giveBack(second);
  giveBack(first);
  assert.notEqual(takeBlock(blockBytes).buffer, buffer);
  giveBack(second, 3999);
  assert.notEqual(takeBlock(blockBytes).buffer, buffer);
  giveBack(second, 1);
  assert.equal(takeBlock(blockBytes).buffer, buffer);
});

test('other memory than that of blocks is left as it is', () => {
  const bytes = lend(Buffer.allocUnsafeSlow(blockBytes));
  giveBack(bytes);
  assert.notEqual(takeBlock(blockBytes).buffer, bytes.buffer);
});
