import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runFuzz } from '../../src/fuzz/run.js';
import { dataFlags, startServer } from '../../src/server-process.js';

const key = 'fuzz_0123456789';
const requests = 12_000;
/** The short version; `npm run test:fuzz -- --requests 1000000` is the long one. */
test('malformed HTTP and JSON cause no failure, no wrong answer, no smuggled request and no growth of memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-fuzz-'));
  // What stays in memory is looked for. Since Node.js 24, V8 lets young objects take some 100 MiB more.
  const environment = { NODE_OPTIONS: '--max-semi-space-size=16' };
  const server = await startServer(dataFlags(folder, key), { environment });
  const port = Number(server.url.port);
  try {
    const sender = { project: 'fuzz', key };
    const report = await runFuzz({ port, pid: server.pid, sender, requests, seed: 20 });
    assert.deepEqual(report.violations, []);
    assert.ok(
      report.bad >= requests && report.good > requests / 10,
      `${report.bad} bad, ${report.good} good`,
    );
    for (const status of [200, 207, 400, 401, 404, 405, 415, 431]) {
      assert.ok(report.statuses.has(status), `no answer had the status ${status}`);
    }
  } finally {
    assert.equal(await server.stop(), 0);
    await rm(folder, { recursive: true });
  }
  assert.doesNotMatch(server.log(), /"request failed"/);
});
