import { test } from 'node:test';
import { updatesOfLargeItems } from '../../../src/abuse/parsed-bodies.js';
import { testBodiesAtOnce } from '../../support/parsed-bodies-at-once.js';
import { expectStatus, withHeap } from '../../support/small-heap.js';

testBodiesAtOnce('writes of items that become large, at once, do not end a server with 256 MiB', 8, (path) =>
  /\/(items|transactions)/.test(path),
);

test('small updates of large items do not end a server with 256 MiB', async () => {
  await withHeap(256, async ({ bodies }) => {
    const replies = await Promise.all(updatesOfLargeItems.map((body) => bodies.send(body)));
    for (const reply of replies) expectStatus(reply, 200);
  });
});
