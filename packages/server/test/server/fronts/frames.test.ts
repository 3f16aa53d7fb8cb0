import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  FrameReader,
  frameKinds,
  headBytes,
  maxFrameBytes,
  writeHead,
} from '../../../src/server/fronts/frames.js';

const kinds = Object.values(frameKinds);
const withBytes: readonly number[] = [frameKinds.open, frameKinds.data, frameKinds.part];
const frame = fc.record({
  kind: fc.constantFrom(...kinds),
  connection: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  size: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(maxFrameBytes - 1, maxFrameBytes)),
});

test('frames are found in what arrives, however it is divided', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { minLength: 1, maxLength: 12 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 200_000 })), {
        minLength: 1,
      }),
      (frames, reads) => {
        const sent = frames.map((given, n) => ({
          ...given,
          bytes: Buffer.alloc(withBytes.includes(given.kind) ? given.size : 0, n + 1),
        }));
        const all = Buffer.concat(
          sent.flatMap(({ bytes, ...head }) => {
            const start = Buffer.alloc(headBytes);
            writeHead(start, 0, head);
            return [start, bytes];
          }),
        );
        const found: unknown[] = [];
        const reader = new FrameReader((kind, connection, size, bytes) => {
          found.push({ kind, connection, size, bytes: Buffer.from(bytes) });
        });
        for (let at = 0, n = 0; at < all.length; n++) {
          const space = reader.space();
          const count = all.copy(space, 0, at, at + Math.min(reads[n % reads.length]!, space.length));
          at += count;
          reader.take(count);
        }
        assert.deepEqual(found, sent);
      },
    ),
    { numRuns: 60 },
  );
});
