import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../api.js';
import { freshBase, freshDrive } from '../names.js';

export interface NormalRun {
  readonly requests: number;
  /** The median and the 99th percentile of the answer times. */
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Without a pause, the client would keep a processor busy that the server needs for what it is compared with. */
const shortPauseMs = 10;

/**
 * Reads and writes items and files one after the other while `goesOn` returns true, and checks every answer. Pauses for
 * `pauseMs` after every five requests.
 */
export async function runNormalClient(
  api: Api,
  goesOn: (requests: number) => boolean,
  pauseMs = shortPauseMs,
): Promise<NormalRun> {
  const base = freshBase(api);
  const drive = freshDrive(api);
  const file = Buffer.alloc(50_000, 'f');
  const tookMs: number[] = [];
  while (goesOn(tookMs.length)) {
    const n = tookMs.length;
    const key = `k${n % 100}`;
    const item = { key, n };
    await timed(async () => assert.equal((await base.put(item)).status, 207));
    await timed(async () => assert.deepEqual((await base.get(key)).json(), item));
    await timed(async () => assert.equal((await base.query({ limit: 10 })).status, 200));
    await timed(async () => assert.equal((await drive.put(key, file)).status, 201));
    await timed(async () => assert.ok((await drive.get(key)).body.equals(file)));
    await wait(pauseMs);
  }
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0;
  return { requests: tookMs.length, medianMs: at(0.5), p99Ms: at(0.99) };

  async function timed(work: () => Promise<void>): Promise<void> {
    const beganMs = performance.now();
    await work();
    tookMs.push(performance.now() - beganMs);
  }
}
