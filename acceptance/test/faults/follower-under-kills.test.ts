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
  /** `starts`: how many times the server starts, at most. */
  async function follow(times: number, plant?: FollowerRun['plant'], starts = Number.POSITIVE_INFINITY) {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-follower-'));
    const embedded = embeddedDeployment(join(folder, 'data'), key);
    let left = starts;
    const startServer = async (n: number) => {
      if (left-- === 0) throw new Error('planted: the server does not start');
      return await embedded.startServer(n);
    };
    const run = { deployment: { ...embedded, startServer }, key, servers: 1, kills: times, seed: 7 };
    try {
      return await runFollowersUnderKills({ ...run, ...(plant && { plant }) });
    } finally {
      await rm(folder, { recursive: true });
    }
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

  test('end with the run, if it fails', async () => {
    await assert.rejects(follow(1, undefined, 1), /planted: the server does not start/);
    let changes = 0;
    const failing = follow(0, (change) => {
      if (++changes === 10) throw new Error('planted: a follower fails');
      return change;
    });
    await assert.rejects(failing, /planted: a follower fails/);
  });
});
