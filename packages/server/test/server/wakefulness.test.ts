import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whenAwake } from '../../src/access/wakefulness.js';
import { createWakefulness } from '../../src/server/wakefulness.js';

/** A process whose clock the test moves. */
function createProcess(reload: () => Promise<unknown>) {
  const clock = { nowMs: 0 };
  const wakefulness = createWakefulness({ reload, monotonicMs: () => clock.nowMs });
  const request = () => whenAwake(wakefulness, { startedMs: clock.nowMs }, () => 'answer');
  return { clock, wakefulness, request };
}

test('a request to a server that is awake waits for nothing', () => {
  const { wakefulness, request } = createProcess(() => Promise.reject(new Error('not asked')));
  assert.equal(request(), 'answer');
  wakefulness.stop();
});

test('requests to a server that has slept wait for one look, also those that come during it', async () => {
  const looks: (() => void)[] = [];
  const { clock, wakefulness, request } = createProcess(() => new Promise<void>((done) => looks.push(done)));
  clock.nowMs = 40_000;
  const requests = [request(), request()];
  for (const each of requests) assert.ok(each instanceof Promise);
  assert.equal(looks.length, 1);
  looks[0]?.();
  assert.deepEqual(await Promise.all(requests), ['answer', 'answer']);
  assert.equal(request(), 'answer');
  wakefulness.stop();
});

test('while the rows are away, what is known stays valid after a sleep, too', async () => {
  const { clock, wakefulness, request } = createProcess(() => Promise.reject(new Error('away')));
  clock.nowMs = 40_000;
  assert.equal(await request(), 'answer');
  assert.equal(request(), 'answer');
  wakefulness.stop();
});
