import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHeavyTraffic } from '../src/abuse/heavy-traffic.js';
import { runNormalClient } from '../src/abuse/normal-client.js';
import { openSlowSenders } from '../src/abuse/slow-senders.js';
import { createApi } from '../src/api.js';
import { freshDrive } from '../src/names.js';
import { dataFlags, startServer } from '../src/server-process.js';
import { launchTarget } from '../src/target.js';
import { openRaw } from './support/raw-connection.js';

const slowSenders = 1000;
/** Generous: the machine of a test does other things as well. What is looked for is a server that stands still. */
const maxSlowdown = 20;
const maxServerMiB = 300;

test('a thousand slow senders: a normal client goes on, and the slow ones are told to go', async () => {
  const target = await launchTarget('--header-timeout', '2s', '--body-timeout', '4s');
  const api = createApi(target);
  const alone = await runNormalClient(api, (requests) => requests < 300);
  const slow = await openSlowSenders(target, slowSenders);
  let allEnded = false;
  void slow.ended.then(() => {
    allEnded = true;
  });
  assert.equal(slow.open, slowSenders, 'they are there before anybody else goes on');
  const beside = await runNormalClient(api, (requests) => requests < 300 || !allEnded);
  slow.stop();
  api.close();
  await target.close();
  assert.equal(slow.timedOut, slowSenders, 'each had its 408');
  assert.ok(
    beside.medianMs < alone.medianMs * maxSlowdown && beside.p99Ms < alone.p99Ms * maxSlowdown,
    JSON.stringify({ alone, beside }),
  );
});

test('a refused client that does not close its side is cut off', async () => {
  const target = await launchTarget();
  const socket = connect({ port: Number(target.url.port), host: target.url.hostname, allowHalfOpen: true });
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  socket.write('rubbish\r\n\r\n');
  await once(socket, 'end');
  assert.match(answer, /^HTTP\/1\.1 400 /);
  const more = setInterval(() => socket.write('more'), 100);
  await once(socket, 'error');
  clearInterval(more);
  await target.close();
});

test('requests that wait behind a download end with their connection', async () => {
  const target = await launchTarget('--max-requests', '8');
  const api = createApi(target);
  const drive = freshDrive(api);
  assert.equal((await drive.put('f', Buffer.alloc(9 * 1024 * 1024))).status, 201);
  const download = `GET ${drive.root}/files/download?name=f HTTP/1.1\r\nHost: x\r\nX-API-Key: ${target.key}\r\n\r\n`;
  for (let round = 0; round < 4; round++) {
    const connection = await openRaw(target.url, { paused: true });
    connection.write(download.repeat(4));
    await connection.begun();
    connection.destroy();
  }
  // Each that was still under way would be one less of the eight.
  const replies = await Promise.all(Array.from({ length: 8 }, () => drive.get('f')));
  for (const { status } of replies) assert.equal(status, 200);
  api.close();
  await target.close();
});

/** The short form; `npm run test:abuse -- --gigabytes 10` is the long one. */
test('200 parallel downloads beside an upload in parts: every byte right, memory bounded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-abuse-'));
  const key = 'abuse_0123456789';
  const server = await startServer(dataFlags(folder, key));
  try {
    const report = await runHeavyTraffic({
      server,
      key,
      uploadMiB: 120,
      partMiB: 6,
      downloads: 200,
      downloadMiB: 6,
    });
    assert.ok(report.peakMiB < maxServerMiB, `the server had ${Math.round(report.peakMiB)} MiB`);
  } finally {
    assert.equal(await server.stop(), 0);
    await rm(folder, { recursive: true });
  }
});
