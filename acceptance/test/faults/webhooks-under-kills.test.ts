import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runWebhookUnderKills } from '../../src/kills/webhook-run.js';
import { dataFlags, startServer } from '../../src/server-process.js';

const key = 'kills_0123456789';
/** `BASEDRIVE_WEBHOOK_KILLS=100` for a long run. */
const kills = Number(process.env.BASEDRIVE_WEBHOOK_KILLS ?? 3);

test('a webhook leaves nothing out and never goes back, while the server is killed and its receiver fails', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-webhook-'));
  const flags = [...dataFlags(join(folder, 'data'), key), '--hook-networks', '127.0.0.0/8'];
  const deployment = { startServer: () => startServer(flags) };
  const report = await runWebhookUnderKills({ deployment, key, servers: 1, kills, seed: 3, refusesOneOf: 8 });
  await rm(folder, { recursive: true });
  const { written, messages, repeated } = report;
  context.diagnostic(JSON.stringify({ kills, written, messages, repeated }));
  assert.deepEqual(report.findings(), []);
  // The comparison finds what is lost, if nothing later makes up for it.
  assert.notDeepEqual(
    report.findings((message) => message >= messages / 2),
    [],
  );
});
