import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCrashes } from '../../src/crash/run.js';

/**
 * The short version; `npm run test:crash -- --kills 500` is the long one. It was seen to find, planted in the service: a
 * transaction that is written in two parts, entries of an index that are written after their items, a move that deletes
 * the old names before it writes the new ones, and (in 50 kills) a move that forgets the bytes of the file that it
 * replaces.
 */
test('everything that was acknowledged is stored after SIGKILL at random moments', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-crash-'));
  const report = await runCrashes({ folder, kills: 20, seed: 20 });
  assert.deepEqual(report.losses, []);
  assert.equal(report.kills, 20);
  assert.ok(report.acknowledged > 100, `only ${report.acknowledged} operations were acknowledged`);
  assert.ok(report.inDoubt > 0, 'no operation was in flight at a kill');
  await rm(folder, { recursive: true });
});
