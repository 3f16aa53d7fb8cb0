import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createConnectionReaper } from '../../src/server/connection-reaper.js';

test('quiet connections are closed beyond nine tenths of the places; one that another stands for takes none', (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const pass = (ms: number) => {
    nowMs += ms;
    context.mock.timers.tick(ms);
  };
  const reaper = createConnectionReaper(10);
  const connect = () => Object.assign(new PassThrough(), { bytesWritten: 0 });
  // As with TLS: the raw socket is counted until the one above it is there.
  const raw = Array.from({ length: 9 }, connect);
  const secure = Array.from({ length: 9 }, connect);
  for (const socket of raw) reaper.add(socket);
  for (const [n, socket] of secure.entries()) {
    reaper.add(socket);
    reaper.remove(raw[n] as PassThrough);
  }
  for (let n = 0; n < 20; n++) pass(1000);
  const open = () => [...raw, ...secure].filter(({ destroyed }) => !destroyed).length;
  assert.equal(open(), 18);
  for (let n = 0; n < 2; n++) reaper.add(connect());
  for (let n = 0; n < 20; n++) pass(1000);
  assert.equal(open(), 16);
});
