import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresDeployment, sharedFolder } from '../../src/kills/deployments.js';
import { runHistoryUnderKills } from '../../src/kills/run-history.js';

const key = 'kills_0123456789';

test('the history of 64 writers has an order while servers and PostgreSQL are killed', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-history-'));
  const blobs = join(folder, 'blobs');
  await mkdir(blobs);
  const deployment = await postgresDeployment(folder, key, sharedFolder(blobs));
  try {
    const components = ['PostgreSQL'];
    const report = await runHistoryUnderKills({ deployment, key, servers: 2, kills: 4, seed: 6, components });
    context.diagnostic(`${report.done} done, ${report.refused} refused, ${report.inDoubt} in doubt`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.done > 50 && report.refused > 10 && report.inDoubt > 10, JSON.stringify(report));
  } finally {
    await deployment.stop();
  }
  await rm(folder, { recursive: true });
});
