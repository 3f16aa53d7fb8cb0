import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  cutPower,
  type SyncClass,
  syncClasses,
  type TracedLoad,
  traceLoad,
} from '../../src/power-cut/run.js';

const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace && process.env.BASEDRIVE_REQUIRE_STRACE === '1')
  throw new Error('strace is required (BASEDRIVE_REQUIRE_STRACE) but not installed');

/** The short version; `npm run test:power-cut -- --cuts 1000` is the long one. */
describe('a power cut', { skip: hasStrace ? false : 'strace is not installed' }, () => {
  let workFolder: string;
  let load: TracedLoad;

  before(async () => {
    workFolder = await mkdtemp(join(tmpdir(), 'basedrive-power-cut-'));
    load = await traceLoad(workFolder, { steps: 25, seed: 7, textBytes: 1000 });
  });
  after(() => rm(workFolder, { recursive: true, force: true, maxRetries: 10 }));

  test('after a power cut at any sync, everything that was answered is on stable storage', async () => {
    const report = await cutPower(load, { workFolder, cuts: 20 });
    assert.deepEqual(report.losses, []);
    assert.equal(report.cuts, 20);
    assert.ok(report.answered > 100, `only ${report.answered} answers were seen in the trace`);
  });

  for (const view of ['torn', 'scattered'] as const) {
    test(`writes that were not synced do no harm when they are ${view}`, async () => {
      const report = await cutPower(load, { workFolder, cuts: 5, view });
      assert.deepEqual(report.losses, []);
    });
  }

  for (const without of Object.keys(syncClasses) as SyncClass[]) {
    test(`the test finds a loss if ${without} is not synced`, async () => {
      const report = await cutPower(load, { workFolder, cuts: 8, without, untilLoss: true });
      assert.ok(report.losses.length > 0, `${report.cuts} cuts showed nothing`);
    });
  }
});
