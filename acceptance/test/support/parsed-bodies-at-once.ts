import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedBodies } from '../../src/abuse/parsed-bodies.js';
import { sendAtOnce, withHeap } from './small-heap.js';

/**
 * Sends each body whose path matches, so many at once, to a server with a small heap, which must live. Without a budget
 * for what they become, they must exceed that heap.
 */
export function testBodiesAtOnce(title: string, atOnce: number, isIn: (path: string) => boolean): void {
  test(title, async (context) => {
    await withHeap(256, async ({ bodies, hasEnded }) => {
      const cases = parsedBodies.filter(({ path }) => isIn(path));
      assert.ok(cases.length > 0);
      for (const body of cases) {
        await context.test(`${atOnce} of ${body.name}`, async () => {
          await sendAtOnce(bodies, body, atOnce);
          assert.equal(hasEnded(), false);
        });
      }
    });
  });
}
