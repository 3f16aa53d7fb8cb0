import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { CheckReport } from '../../src/store/check/report.js';
import { isFollowProgress, type StandbyProgress } from '../../src/store/standby/progress.js';
import { type Ended, main } from './run-cli.js';
import type { contentOf } from './served-copy.js';

const halfAnHourMs = 1_800_000;

/** A `copy --follow` that is killed after the test if it still runs. */
export function startFollowing(
  context: TestContext,
  options: readonly string[],
  variables: NodeJS.ProcessEnv = {},
) {
  const child = spawn(process.execPath, [main, 'copy', '--follow', '--json', ...options], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const lines: StandbyProgress[] = [];
  let heard = () => {};
  const more = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line));
    heard();
  });
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    ended,
    err: () => err,
    /** Resolves when it waits, for a reason with these words. */
    async waits(words: RegExp): Promise<void> {
      const isIt = (now: StandbyProgress) =>
        isFollowProgress(now) && now.phase === 'waiting' && words.test(now.problem ?? '');
      while (!lines.some(isIt)) await Promise.race([more(), ended.then(() => assert.fail(err))]);
    },
    said: async (words: RegExp) => {
      while (!words.test(err)) await once(child.stderr, 'data');
    },
    /**
     * Resolves when the standby has all that was acknowledged before the call. `shiftMs`: how wrong the clock is of who
     * follows.
     */
    async even(shiftMs = 0): Promise<void> {
      const sinceMs = Date.now() + 1 + shiftMs;
      const hasAll = (now: StandbyProgress) =>
        isFollowProgress(now) &&
        now.phase === 'following' &&
        // Not of a process before it, whose clock was wrong by another hour.
        now.asOfMs >= sinceMs &&
        now.asOfMs < sinceMs + halfAnHourMs;
      for (let seen = lines.length; ; seen = lines.length) {
        if (lines.slice(seen - 1).some(hasAll)) return;
        await Promise.race([more(), ended.then(() => assert.fail(err))]);
      }
    },
  };
}

/** What a standby has of its source: what is garbage at one of them is none of its business. */
export const withoutGarbage = ([rows, blobs]: Awaited<ReturnType<typeof contentOf>>) => [
  (rows as { key: string }[]).filter((row) => !row.key.startsWith('garbage/')),
  blobs,
];

/** Asserts that a stopped standby has the rows of its source, and the bytes that they name. Either has orphans of kills. */
export function assertStandbyOf(
  standby: Awaited<ReturnType<typeof contentOf>>,
  source: Awaited<ReturnType<typeof contentOf>>,
): void {
  const [rows, blobs] = withoutGarbage(source);
  const [ownRows, ownBlobs] = withoutGarbage(standby) as [unknown, ReadonlyMap<string, Buffer>];
  assert.deepEqual(ownRows, rows);
  const named = (rows as { value: Buffer }[]).map(({ value }) => value.toString()).join();
  for (const [id, bytes] of blobs as ReadonlyMap<string, Buffer>)
    if (named.includes(id)) assert.deepEqual(ownBlobs.get(id), bytes, id);
}

/**
 * What `check --json` has found wrong. A blob that a killed run had copied is an orphan, which the server deletes when
 * it is an hour old.
 */
export function wrongIn({ out }: Ended): CheckReport['problems'] {
  const { problems } = JSON.parse(out) as CheckReport;
  return problems.filter(({ problem }) => problem !== 'no row owns it');
}
