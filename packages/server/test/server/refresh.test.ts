import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { refresh } from '../../src/server/refresh.js';

const silent = { info() {}, error() {} };

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

/** Runs what is waiting, then lets a second pass. */
async function second(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  mock.timers.tick(1000);
  await new Promise((resolve) => setImmediate(resolve));
}

test('keys are read again every second until the end', async () => {
  let count = 0;
  const keys = {
    reload: async () => {
      count++;
    },
  };
  const end = refresh('keys', keys, silent);
  await second();
  assert.equal(count, 1);
  await second();
  assert.equal(count, 2);
  await end();
  await second();
  assert.equal(count, 2);
});

test('a slow reload is not overtaken by the next one, and the end waits for it', async () => {
  let count = 0;
  let finish = () => {};
  const reload = async () => {
    count++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const end = refresh('keys', { reload }, silent);
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

test('an outage and its end are logged once each', async () => {
  const lines: string[] = [];
  const log = {
    info: (_fields: unknown, message: string) => lines.push(`info ${message}`),
    error: (_fields: unknown, message: string) => lines.push(`error ${message}`),
  };
  let isFailing = true;
  const reload = async () => {
    if (isFailing) throw new Error('away');
  };
  const end = refresh('keys', { reload }, log);
  for (let n = 0; n < 3; n++) await second();
  isFailing = false;
  for (let n = 0; n < 3; n++) await second();
  await end();
  assert.deepEqual(lines, [
    'error keys cannot be read: what is known of them stays valid',
    'info keys can be read again',
  ]);
});
