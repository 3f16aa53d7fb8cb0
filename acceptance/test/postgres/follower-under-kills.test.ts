import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { postgresDeployment, sharedFolder } from '../../src/kills/deployments.js';
import { runFollowersUnderKills } from '../../src/kills/follower-run.js';

const key = 'kills_0123456789';
/** `BASEDRIVE_FOLLOWER_KILLS=100` for a long run. */
const kills = Number(process.env.BASEDRIVE_FOLLOWER_KILLS ?? 4);

test('followers of two servers have what is stored at the end, and never half of a transaction, while servers and PostgreSQL are killed', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-follower-'));
  const blobs = join(folder, 'blobs');
  await mkdir(blobs);
  const deployment = await postgresDeployment(folder, key, sharedFolder(blobs));
  try {
    const run = { deployment, key, servers: 2, kills, seed: 9, components: ['PostgreSQL'] };
    const { findings, ...counts } = await runFollowersUnderKills(run);
    context.diagnostic(JSON.stringify({ kills, ...counts }));
    assert.deepEqual(findings, []);
    assert.ok(counts.named > 0 && counts.followed > counts.named, JSON.stringify(counts));
  } finally {
    await deployment.stop();
  }
  await rm(folder, { recursive: true });
});
