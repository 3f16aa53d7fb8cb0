import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { lockFolder } from '../../src/archive/export/folder-lock.js';
import { temporaryFolder } from '../support/archive-project.js';

const processes = 6;
const rounds = 150;

/** Takes the lock at each path that it is told, keeps it, and says whether it got it. */
const taker = `
import { createInterface } from 'node:readline';
import { lockFolder } from ${JSON.stringify(new URL('../../src/archive/export/folder-lock.js', import.meta.url).href)};
for await (const path of createInterface({ input: process.stdin })) {
  console.log(await lockFolder(path).then(() => 'got', ({ code }) => code));
}`;

test('of processes that take a lock at the same time, one gets it, also one that a killed process has left', async (context) => {
  const folder = await temporaryFolder(context);
  const takers = Array.from({ length: processes }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', taker], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, answers };
  });
  context.after(() => {
    for (const { child } of takers) child.kill();
  });
  for (let round = 0; round < rounds; round++) {
    const place = join(folder, `${round}`);
    await mkdir(place);
    const lock = join(place, 'lock');
    // No process has this number.
    if (round % 2 === 1) await writeFile(lock, '2147483646\n');
    for (const { child } of takers) child.stdin.write(`${lock}\n`);
    const answers = await Promise.all(takers.map(async (one) => (await one.answers.next()).value as string));
    assert.deepEqual(answers.sort(), [...Array(processes - 1).fill('conflict'), 'got'], `round ${round}`);
    assert.deepEqual(await readdir(place), ['lock']);
  }
});

test('within a process, one gets a lock, and the next one when it is released', async (context) => {
  const lock = join(await temporaryFolder(context), 'lock');
  for (const abandoned of [undefined, `${process.pid}\n`]) {
    if (abandoned !== undefined) await writeFile(lock, abandoned);
    const taken = await Promise.allSettled(Array.from({ length: 5 }, () => lockFolder(lock)));
    const [first, ...others] = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.deepEqual(others, []);
    await first?.();
    await (await lockFolder(lock))();
  }
});
