import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runS3Kills } from '../../src/s3-kills/run.js';

/** The short form; `npm run test:crash -- --s3 --kills 200` is the long one. */
test('S3 objects that were acknowledged are whole after SIGKILL at every step of puts, copies and parts', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-s3-kills-'));
  const seed = Math.floor(Math.random() * 1e6);
  context.diagnostic(`seed ${seed}`);
  const report = await runS3Kills({ folder, kills: 5, seed });
  assert.deepEqual(report.faults, [], `seed ${seed}`);
  assert.ok(report.acknowledged > 10, `only ${report.acknowledged} changes were acknowledged, seed ${seed}`);
  assert.ok(report.inDoubt > 0, `no change was in progress at a kill, seed ${seed}`);
  await rm(folder, { recursive: true });
});
