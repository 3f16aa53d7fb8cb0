import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { refreshKeys } from '../../src/keys/refresh-keys.js';

const silent = { info() {}, error() {} };

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

/** What is waiting is done, then a second goes by. */
async function second(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  mock.timers.tick(1000);
  await new Promise((resolve) => setImmediate(resolve));
}

test('keys are read again every second, and not after the end', async () => {
  let count = 0;
  const keys = {
    reload: async () => {
      count++;
    },
  };
  const end = refreshKeys(keys, silent);
  await second();
  assert.equal(count, 1);
  await second();
  assert.equal(count, 2);
  await end();
  await second();
  assert.equal(count, 2);
});

test('a reading that takes long is not overtaken, and the end waits for it', async () => {
  let count = 0;
  let finish = () => {};
  const reload = async () => {
    count++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const end = refreshKeys({ reload }, silent);
  for (let n = 0; n < 5; n++) await second();
  assert.equal(count, 1);
  let hasEnded = false;
  const ended = end().then(() => {
    hasEnded = true;
  });
  await second();
  assert.ok(!hasEnded);
  finish();
  await ended;
});

test('an outage is told once, and its end', async () => {
  const lines: string[] = [];
  const log = {
    info: (_fields: unknown, message: string) => lines.push(`info ${message}`),
    error: (_fields: unknown, message: string) => lines.push(`error ${message}`),
  };
  let isAway = true;
  const reload = async () => {
    if (isAway) throw new Error('away');
  };
  const end = refreshKeys({ reload }, log);
  for (let n = 0; n < 3; n++) await second();
  isAway = false;
  for (let n = 0; n < 3; n++) await second();
  await end();
  assert.deepEqual(lines, [
    'error keys cannot be read, those that are known stay',
    'info keys are read again',
  ]);
});
