import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { runHeavyTraffic } from '../../src/abuse/heavy-traffic.js';
import { runNormalClient } from '../../src/abuse/normal-client.js';
import { openSlowBulk } from '../../src/abuse/slow-bulk.js';
import { openSlowSenders } from '../../src/abuse/slow-senders.js';
import { createApi } from '../../src/api.js';
import { freshDrive } from '../../src/names.js';
import { openSocket } from '../../src/open-socket.js';
import { residentMiB } from '../../src/resident-memory.js';
import { launchStoredTarget, launchTarget } from '../../src/target.js';
import { openRaw } from '../support/raw-connection.js';
import { protocols } from '../support/service.js';

const slowSenders = 1000;
/** A generous bound, because the machine also runs other tests. The test looks for a server that is blocked. */
const maxSlowdown = 20;
const maxServerMiB = 300;
/** Each import and each export may have some megabytes (docs/http.md#memory). */
const maxBulkMiB = 700;

for (const [protocol, words] of Object.entries(protocols)) {
  test(`${protocol}: a normal client is served beside a thousand slow senders, which are answered with 408`, async (context) => {
    const target = await launchTarget(...words, '--header-timeout', '2s', '--request-timeout', '4s');
    context.after(target.close);
    const api = createApi(target);
    const alone = await runNormalClient(api, (requests) => requests < 300);
    const slow = await openSlowSenders(target, slowSenders);
    let allEnded = false;
    void slow.ended.then(() => {
      allEnded = true;
    });
    assert.ok(slow.open > 0, 'slow senders are connected while the normal client continues');
    const beside = await runNormalClient(api, (requests) => requests < 300 || !allEnded);
    slow.stop();
    api.close();
    assert.equal(slow.timedOut, slowSenders, 'each was answered with 408');
    assert.ok(
      beside.medianMs < alone.medianMs * maxSlowdown && beside.p99Ms < alone.p99Ms * maxSlowdown,
      JSON.stringify({ alone, beside }),
    );
  });

  test(`${protocol}: a normal client is served beside slow imports and unread exports, whose memory is bounded`, async (context) => {
    const target = await launchStoredTarget(...words);
    const api = createApi(target);
    try {
      const items = Array.from({ length: 60_000 }, (_, n) => `{"key":"k${n}","text":"${'x'.repeat(300)}"}\n`);
      const body = items.join('');
      const stored = await api.send('PUT', '/v1/demo/bulk/items', { body, type: 'application/x-ndjson' });
      assert.equal(stored.text, '{"stored":60000,"failed":0}\n');
      const alone = await runNormalClient(api, (requests) => requests < 300);
      const slow = await openSlowBulk(target, { base: 'bulk', imports: 40, exports: 40 });
      const beside = await runNormalClient(api, (requests) => requests < 600);
      const memoryMiB = residentMiB(target.pid);
      context.diagnostic(
        `${Math.round(memoryMiB)} MiB; alone ${JSON.stringify(alone)}, beside ${JSON.stringify(beside)}`,
      );
      assert.equal(slow.open, 80, 'all of them go on');
      slow.stop();
      assert.ok(memoryMiB < maxBulkMiB, `the server had ${Math.round(memoryMiB)} MiB`);
      assert.ok(beside.medianMs < alone.medianMs * maxSlowdown, JSON.stringify({ alone, beside }));
    } finally {
      api.close();
      await target.close();
    }
  });

  test(`${protocol}: a refused client that does not close its side is disconnected`, async () => {
    const target = await launchTarget(...words);
    const socket = await openSocket(target, { allowHalfOpen: true });
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

  test(`${protocol}: requests that wait for a download on the same connection end when their connection ends`, async () => {
    const target = await launchTarget(...words, '--max-requests', '8');
    const api = createApi(target);
    const drive = freshDrive(api);
    assert.equal((await drive.put('f', Buffer.alloc(9 * 1024 * 1024))).status, 201);
    const download = `GET ${drive.root}/files/download?name=f HTTP/1.1\r\nHost: x\r\nX-API-Key: ${target.key}\r\n\r\n`;
    for (let round = 0; round < 4; round++) {
      const connection = await openRaw(target, { paused: true });
      connection.write(download.repeat(4));
      await connection.answerStarted();
      connection.destroy();
    }
    // Every request that was still in progress would take one of the eight places.
    const replies = await Promise.all(Array.from({ length: 8 }, () => drive.get('f')));
    for (const { status } of replies) assert.equal(status, 200);
    api.close();
    await target.close();
  });

  /** The short version; `npm run test:abuse -- --gigabytes 10` is the long one. */
  test(`${protocol}: 200 parallel downloads beside an upload in parts have the right bytes, and memory stays bounded`, async () => {
    const target = await launchStoredTarget(...words);
    try {
      const report = await runHeavyTraffic({
        target,
        uploadMiB: 120,
        partMiB: 6,
        downloads: 200,
        downloadMiB: 6,
      });
      assert.ok(report.peakMiB < maxServerMiB, `the server had ${Math.round(report.peakMiB)} MiB`);
    } finally {
      await target.close();
    }
  });
}
