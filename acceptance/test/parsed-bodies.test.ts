import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedBodies, updatesOfLargeItems } from '../src/abuse/parsed-bodies.js';
import { expectStatus, sendAtOnce, withHeap } from './support/small-heap.js';

const atOnce = 14;

test('bodies that become large, sent at once, do not end a server with a heap of 256 MiB', async (context) => {
  await withHeap(256, async ({ bodies, hasEnded }) => {
    for (const body of parsedBodies) {
      await context.test(`${atOnce} of ${body.name}`, async () => {
        await sendAtOnce(bodies, body, atOnce);
        assert.equal(hasEnded(), false);
      });
    }
    await context.test('small updates of large items', async () => {
      const replies = await Promise.all(updatesOfLargeItems.map((body) => bodies.send(body)));
      for (const reply of replies) expectStatus(reply, 200);
    });
  });
});
