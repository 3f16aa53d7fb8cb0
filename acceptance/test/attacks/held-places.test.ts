import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openSocket } from '../../src/open-socket.js';
import { launchTarget, type Target } from '../../src/target.js';
import { isServed } from '../support/is-served.js';
import { protocols } from '../support/service.js';

const places = 40;
const longTimes = [
  '--header-timeout',
  '1h',
  '--request-timeout',
  '1h',
  '--idle-timeout',
  '1h',
  '--shutdown-grace',
  '1s',
];
/** Without an end of the attack, a test would wait forever. */
const timeout = 60_000;
const form = 'Content-Type: multipart/form-data; boundary=x';

/** What a client without a key sends before it falls silent. */
const attacks = {
  'requests whose answers are not read': 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500),
  'forms of S3 whose bodies do not come': `POST /bucket HTTP/1.1\r\nHost: x\r\n${form}\r\nContent-Length: 100\r\n\r\n`,
  'refused requests whose bodies do not come':
    'PUT /v1/demo/base/items HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100\r\n\r\n',
};

/** Takes a place. Gives whether the server has closed the connection, as far as the client can see. */
async function hold(context: TestContext, target: Target, bytes: string): Promise<() => boolean> {
  const socket = await openSocket(target);
  context.after(() => socket.destroy());
  socket.on('error', () => {});
  if (bytes.startsWith('GET')) socket.pause();
  else socket.resume();
  socket.write(bytes);
  return () => socket.closed || socket.readableEnded;
}

for (const [protocol, workers] of [
  ['http', '0'],
  ['https', '1'],
] as const)
  for (const [what, bytes] of Object.entries(attacks))
    test(`${what} do not keep others out (${protocol}, --workers ${workers})`, {
      timeout,
    }, async (context) => {
      const limits = [...longTimes, '--max-connections', String(places), '--workers', workers];
      const target = await launchTarget(...limits, ...protocols[protocol]);
      context.after(target.close);
      const held = await Promise.all(Array.from({ length: places }, () => hold(context, target, bytes)));
      while (!(await isServed(target))) await wait(100);
      // Most of them are left alone: they make room for others, no more. What the server ends at its own time, it ends together.
      await wait(500);
      const closed = held.filter((isClosed) => isClosed()).length;
      assert.ok(closed <= places / 2, `${closed} are closed`);
    });
