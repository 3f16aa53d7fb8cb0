import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { tidyKeys } from '../../src/keys/tidy-keys.js';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

async function turn(ms: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  mock.timers.tick(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

test('keys are tidied now and then, and once more at the end; an outage is logged once', async () => {
  let count = 0;
  let isFailing = false;
  const lines: string[] = [];
  const log = { info: assert.fail, error: (_: unknown, message: string) => lines.push(message) };
  const tidy = async () => {
    count++;
    if (isFailing) throw new Error('away');
  };
  const end = tidyKeys({ tidy }, log);
  await turn(10_000);
  assert.equal(count, 0);
  await turn(10_000);
  assert.equal(count, 1);
  isFailing = true;
  await turn(20_000);
  await turn(20_000);
  assert.equal(count, 3);
  assert.deepEqual(lines, [
    'the use of keys could not be stored, or expired keys could not be deleted; this will be tried again',
  ]);
  isFailing = false;
  await end();
  assert.equal(count, 4);
  await turn(60_000);
  assert.equal(count, 4);
});
