import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { handshakeShapes, openSlowHandshakes } from '../../src/abuse/slow-handshakes.js';
import { launchTarget } from '../../src/target.js';
import { isServed } from '../support/is-served.js';

const connections = 9;
/** The stalled connections take all places: a client is served only when the server has closed them. */
const options = ['--https', '--header-timeout', '1s', '--max-connections', String(connections)];
/** Without an end of the stalled connections, a test would wait forever. */
const timeout = 20_000;
/** A stop that waited for a time limit would not end within that. */
const longTimes = ['--header-timeout', '1h', '--request-timeout', '1h', '--shutdown-grace', '1h'];

for (const shape of handshakeShapes) {
  test(`connections whose handshake ends with ${shape} give their places back in time`, {
    timeout,
  }, async (context) => {
    const target = await launchTarget(...options);
    context.after(target.close);
    const slow = await openSlowHandshakes(target, shape, connections);
    assert.equal(await isServed(target), false, 'all places are taken');
    await slow.ended;
    assert.equal(await isServed(target), true);
    slow.stop();
  });

  for (const workers of ['0', '1']) {
    test(`clients that leave after ${shape} of a handshake give their places back at once (--workers ${workers})`, {
      timeout,
    }, async (context) => {
      const places = ['--max-connections', String(connections)];
      const target = await launchTarget('--https', ...longTimes, ...places, '--workers', workers);
      context.after(target.close);
      for (const how of ['end', 'reset'] as const) {
        const leaving = await openSlowHandshakes(target, shape, connections);
        leaving.leave(how);
        while (!(await isServed(target)));
        leaving.stop();
      }
    });
  }

  test(`connections whose handshake ends with ${shape} do not delay a stop`, { timeout }, async () => {
    const target = await launchTarget('--https', ...longTimes);
    const slow = await openSlowHandshakes(target, shape, connections);
    assert.equal(slow.open, connections);
    await target.close();
    slow.stop();
  });
}

for (const workers of ['0', '1']) {
  test(`connections that stop in a handshake do not keep others out (--workers ${workers})`, {
    timeout,
  }, async (context) => {
    const target = await launchTarget(
      '--https',
      ...longTimes,
      '--max-connections',
      '40',
      '--workers',
      workers,
    );
    context.after(target.close);
    const slow = await openSlowHandshakes(target, 'half a hello', 40);
    while (!(await isServed(target))) await wait(100);
    slow.stop();
  });
}
