import assert from 'node:assert/strict';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import { createMd5 } from '../../src/lib/md5.js';

/** The MD5 of bytes that are added in pieces of these sizes, in turn. */
async function md5Of(bytes: Buffer, sizes: readonly number[]): Promise<string> {
  const md5 = createMd5();
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] as number;
    await md5.add(bytes.subarray(at, at + size));
    at += size;
  }
  return (await md5.digest()).toString('hex');
}

const expected = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

describe('MD5s that are computed side by side', () => {
  test('are those of OpenSSL for every length up to some blocks', async () => {
    for (let length = 0; length < 260; length++) {
      const bytes = randomBytes(length);
      assert.equal(await md5Of(bytes, [Math.max(1, length)]), expected(bytes), `${length} bytes`);
    }
  });

  for (const atOnce of [1, 2, 3, 4, 5, 7, 8, 9, 20]) {
    test(`are those of OpenSSL for ${atOnce} bodies at once, in any pieces`, async () => {
      const bodies = Array.from({ length: atOnce }, () => randomBytes(randomInt(1_000_000)));
      const found = bodies.map((bytes) => md5Of(bytes, [randomInt(1, 300_000), randomInt(1, 100), 64]));
      assert.deepEqual(await Promise.all(found), bodies.map(expected));
    });
  }

  test('end although another body stops in the middle', async () => {
    const stopped = createMd5();
    await stopped.add(randomBytes(100_001));
    const bytes = randomBytes(300_000);
    assert.equal(await md5Of(bytes, [65_536]), expected(bytes));
  });

  test('let the source wait when much is waiting', async () => {
    const md5 = createMd5();
    const bytes = randomBytes(256 * 1024);
    assert.equal(md5.add(bytes), undefined);
    assert.equal(md5.add(bytes), undefined);
    assert.ok(md5.add(bytes) instanceof Promise);
    assert.equal((await md5.digest()).toString('hex'), expected(Buffer.concat([bytes, bytes, bytes])));
  });
});
