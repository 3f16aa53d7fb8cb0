import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { createClockCheck, type RunningClockCheck } from '../../src/maintenance/clock-check.js';

const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

describe('the check of the clock', () => {
  /** The right time, since 1970 and since this machine was started. */
  let rightMs: number;
  let monotonicMs: number;
  let shiftMs: number;
  let rowsNowMs: () => Promise<number>;
  let lines: string[];
  let check: RunningClockCheck;

  beforeEach(() => {
    rightMs = 1.8e12;
    monotonicMs = 5000;
    shiftMs = 0;
    lines = [];
    rowsNowMs = async () => rightMs;
    const note = (_: unknown, message: string) => void lines.push(message);
    check = createClockCheck({
      rowsNowMs: () => rowsNowMs(),
      clock: () => rightMs + shiftMs,
      log: { info: note, error: note },
      monotonicMs: () => monotonicMs,
    });
  });

  function pass(ms: number): void {
    rightMs += ms;
    monotonicMs += ms;
  }

  test('knows nothing before the first comparison', async () => {
    assert.equal(check.state(), 'unknown');
    await check.compare();
    assert.equal(check.state(), 'right');
    assert.deepEqual(lines, []);
  });

  test('allows for a few minutes, ahead and behind', async () => {
    for (const [minutes, state] of [
      [4, 'right'],
      [-4, 'right'],
      [6, 'wrong'],
      [-6, 'wrong'],
    ] as const) {
      shiftMs = minutes * minuteMs;
      await check.compare();
      assert.equal(check.state(), state, `${minutes} minutes`);
    }
  });

  test('says once that the clock is wrong, by how much, and when it is right again', async () => {
    shiftMs = -600_000;
    await check.compare();
    await check.compare();
    shiftMs = 0;
    await check.compare();
    await check.compare();
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /^the clock of this server is 600 s behind that of the database/);
    assert.match(lines[1] ?? '', /agrees/);
  });

  test('sees a jump before the next comparison, and that it is over', async () => {
    await check.compare();
    pass(minuteMs);
    shiftMs = yearMs;
    assert.equal(check.state(), 'wrong');
    pass(minuteMs);
    shiftMs = 0;
    assert.equal(check.state(), 'right');
    shiftMs = -yearMs;
    assert.equal(check.state(), 'wrong');
  });

  test('goes on from the last comparison while the rows are away', async () => {
    await check.compare();
    rowsNowMs = () => Promise.reject(new StorageUnavailable('away'));
    pass(60 * minuteMs);
    await check.compare();
    assert.equal(check.state(), 'right');
    shiftMs = yearMs;
    await check.compare();
    assert.equal(check.state(), 'wrong');
  });

  test('says once that it cannot begin', async () => {
    rowsNowMs = () => Promise.reject(new StorageUnavailable('away'));
    await check.compare();
    await check.compare();
    assert.equal(check.state(), 'unknown');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /cannot be read/);
  });

  test('does not take the time of an answer for a difference', async () => {
    rowsNowMs = async () => {
      pass(4 * minuteMs);
      const now = rightMs;
      pass(4 * minuteMs);
      return now;
    };
    shiftMs = 4 * minuteMs;
    await check.compare();
    assert.equal(check.state(), 'right');
  });

  test('compares when it is started, until it is stopped', async () => {
    const asked = new Promise<void>((resolve) => {
      rowsNowMs = async () => {
        resolve();
        return rightMs;
      };
    });
    check.start();
    await asked;
    await check.stop();
    assert.equal(check.state(), 'right');
  });
});
