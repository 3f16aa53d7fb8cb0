import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { isFollowProgress, type StandbyProgress } from '../../src/store/standby/progress.js';
import { main } from './run-cli.js';
import type { contentOf } from './served-copy.js';

/** A `copy --follow` that is killed after the test if it still runs. */
export function startFollowing(context: TestContext, options: readonly string[]) {
  const child = spawn(process.execPath, [main, 'copy', '--follow', '--json', ...options], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const lines: StandbyProgress[] = [];
  let heard = () => {};
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
    said: async (words: RegExp) => {
      while (!words.test(err)) await once(child.stderr, 'data');
    },
    /** Resolves when the standby has all that was acknowledged before the call. */
    async even(): Promise<void> {
      const sinceMs = Date.now() + 1;
      const hasAll = (now: StandbyProgress) =>
        isFollowProgress(now) && now.phase === 'following' && now.asOfMs >= sinceMs;
      for (let seen = lines.length; ; seen = lines.length) {
        if (lines.slice(seen - 1).some(hasAll)) return;
        await Promise.race([
          new Promise<void>((resolve) => {
            heard = resolve;
          }),
          ended.then(() => assert.fail(err)),
        ]);
      }
    },
  };
}

/** What a standby has of its source: what is garbage at one of them is none of its business. */
export const withoutGarbage = ([rows, blobs]: Awaited<ReturnType<typeof contentOf>>) => [
  (rows as { key: string }[]).filter((row) => !row.key.startsWith('garbage/')),
  blobs,
];
