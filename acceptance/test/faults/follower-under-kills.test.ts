import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { embeddedDeployment } from '../../src/kills/deployments.js';
import { type FollowerRun, runFollowersUnderKills } from '../../src/kills/follower-run.js';

const key = 'kills_0123456789';
/** `BASEDRIVE_FOLLOWER_KILLS=200` for a long run. */
const kills = Number(process.env.BASEDRIVE_FOLLOWER_KILLS ?? 6);

/** On the embedded engines; test/postgres has the same for servers over PostgreSQL. */
describe('followers of the changes, while the server is killed', () => {
  async function follow(times: number, plant?: FollowerRun['plant']) {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-follower-'));
    const deployment = embeddedDeployment(join(folder, 'data'), key);
    const run = { deployment, key, servers: 1, kills: times, seed: 7 };
    const report = await runFollowersUnderKills({ ...run, ...(plant && { plant }) });
    await rm(folder, { recursive: true });
    return report;
  }

  test('have what is stored at the end, and never half of a transaction', async (context) => {
    const { findings, ...counts } = await follow(kills);
    context.diagnostic(JSON.stringify({ kills, ...counts }));
    assert.deepEqual(findings, []);
    assert.ok(counts.named > 0 && counts.followed > counts.named, JSON.stringify(counts));
  });

  test('are found out if they miss one of ten changes', async () => {
    let changes = 0;
    const { findings } = await follow(0, (change) => (++changes % 10 === 0 ? undefined : change));
    assert.notDeepEqual(findings, []);
  });

  test('are found out if a transaction comes in two parts', async () => {
    const { findings } = await follow(0, (change) =>
      change.key === 'p0/b' && change.tx ? { ...change, tx: `${change.tx}1` } : change,
    );
    assert.match(findings.join('\n'), /only half of p0 came with/);
  });
});
