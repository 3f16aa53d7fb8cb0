import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCoalescedReads } from '../../../src/engines/postgres/coalesced-reads.js';

test('who comes while reads are under way shares the next one, and is never given what was read before', async () => {
  const asked: (readonly string[])[] = [];
  const answers: (() => void)[] = [];
  let moment = 0;
  const get = createCoalescedReads(async (keys) => {
    asked.push(keys);
    const now = String(moment);
    await new Promise<void>((resolve) => answers.push(resolve));
    return new Map(keys.filter((key) => key !== 'none').map((key) => [key, Buffer.from(now)]));
  });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const first = [get('a'), get('b')];
  await tick();
  const second = get('c');
  await tick();
  const third = [get('a'), get('none'), get('a')];
  await tick();
  assert.deepEqual(asked, [['a', 'b'], ['c']]);
  moment = 1;
  answers[0]?.();
  await Promise.all(first);
  await tick();
  assert.deepEqual(asked[2], ['a', 'none']);
  answers[1]?.();
  answers[2]?.();
  assert.deepEqual(
    (await Promise.all([...first, second, ...third])).map((value) => value?.toString()),
    ['0', '0', '0', '1', undefined, '1'],
  );
});

test('a failure is told to those it is about; the next are asked anew', async () => {
  let fails = true;
  const get = createCoalescedReads(async (keys) => {
    if (fails) throw new Error('away');
    return new Map(keys.map((key) => [key, Buffer.from(key)]));
  });
  await Promise.all([assert.rejects(get('a'), /away/), assert.rejects(get('b'), /away/)]);
  fails = false;
  assert.equal((await get('a'))?.toString(), 'a');
});
