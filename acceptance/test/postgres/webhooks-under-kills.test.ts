import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { postgresDeployment, sharedFolder } from '../../src/kills/deployments.js';
import { runWebhookUnderKills } from '../../src/kills/webhook-run.js';

const key = 'kills_0123456789';
const kills = Number(process.env.BASEDRIVE_WEBHOOK_KILLS ?? 3);

describe('a webhook of two servers that share PostgreSQL', () => {
  async function run(times: number, refusesOneOf: number) {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-webhook-'));
    const blobs = join(folder, 'blobs');
    await mkdir(blobs);
    const flags = ['--hook-networks', '127.0.0.0/8'];
    const deployment = await postgresDeployment(folder, key, sharedFolder(blobs), flags);
    try {
      return await runWebhookUnderKills({ deployment, key, servers: 2, kills: times, seed: 5, refusesOneOf });
    } finally {
      await deployment.stop();
      await rm(folder, { recursive: true });
    }
  }

  test('is sent by one of them', async (context) => {
    const { findings, ...counts } = await run(0, 0);
    context.diagnostic(JSON.stringify(counts));
    assert.deepEqual(findings(), []);
    assert.equal(counts.repeated, 0);
  });

  test('goes on when servers are killed: nothing is left out, and nothing goes back', async (context) => {
    const { findings, ...counts } = await run(kills, 8);
    context.diagnostic(JSON.stringify({ kills, ...counts }));
    assert.deepEqual(findings(), []);
  });
});
