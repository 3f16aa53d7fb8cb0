import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatchedReads } from '../../../src/engines/postgres/batched-reads.js';

test('reads that come while others are in progress share the next batch and never get an earlier value', async () => {
  const batches: (readonly string[])[] = [];
  const answers: (() => void)[] = [];
  let version = 0;
  const get = createBatchedReads({
    async all(keys) {
      batches.push(keys);
      const value = String(version);
      await new Promise<void>((resolve) => answers.push(resolve));
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, Buffer.from(value)]));
    },
    small: assert.fail,
  });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const first = [get('a'), get('b')];
  await tick();
  const second = get('c');
  await tick();
  const third = [get('a'), get('none'), get('a')];
  await tick();
  assert.deepEqual(batches, [['a', 'b'], ['c']]);
  version = 1;
  answers[0]?.();
  await Promise.all(first);
  await tick();
  assert.deepEqual(batches[2], ['a', 'none']);
  answers[1]?.();
  answers[2]?.();
  assert.deepEqual(
    (await Promise.all([...first, second, ...third])).map((value) => value?.toString()),
    ['0', '0', '0', '1', undefined, '1'],
  );
});

test('a failed batch rejects the reads that it holds, and the next read is sent anew', async () => {
  let fails = true;
  const get = createBatchedReads({
    async all(keys) {
      if (fails) throw new Error('unreachable');
      return new Map(keys.map((key) => [key, Buffer.from(key)]));
    },
    small: assert.fail,
  });
  await Promise.all([assert.rejects(get('a'), /unreachable/), assert.rejects(get('b'), /unreachable/)]);
  fails = false;
  assert.equal((await get('a'))?.toString(), 'a');
});

test('of many reads at once, large values are read a few at a time, and small ones together', async () => {
  const isLarge = (key: string) => key.startsWith('large');
  const sizes: number[] = [];
  const valuesOf = (keys: readonly string[]) => new Map(keys.map((key) => [key, Buffer.from(key)]));
  const get = createBatchedReads({
    async all(keys) {
      sizes.push(keys.length);
      return valuesOf(keys);
    },
    async small(keys) {
      return { rows: valuesOf(keys.filter((key) => !isLarge(key))), large: new Set(keys.filter(isLarge)) };
    },
  });
  const keys = Array.from({ length: 50 }, (_, n) => [`large${n}`, `small${n}`]).flat();
  const values = await Promise.all(keys.map(get));
  assert.deepEqual(values.map(String), keys);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    50,
  );
  assert.ok(
    sizes.every((size) => size <= 4),
    `${sizes}`,
  );
});
