import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareFixed } from '../src/contenders/bare-fixed.js';
import { checkAnswer } from '../src/load/operation.js';
import { freePort } from '../src/processes/free-port.js';
import { startServer } from '../src/processes/server-process.js';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'basedrive-bench-test-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a server starts, does nothing while it is paused, continues, and stops', async () => {
  await inFolder(async (folder) => {
    const running = await bareFixed.start(folder);
    assert.ok(running.startMs > 0);
    if (existsSync('/proc/self/status')) {
      const { residentMb, anonymousMb } = running.memory()!;
      assert.ok(anonymousMb > 5 && anonymousMb < residentMb, `${anonymousMb} of ${residentMb} MB`);
    }
    running.pause();
    let answered = false;
    const answer = checkAnswer(running.url, bareFixed.items!.get!, 0).then(() => {
      answered = true;
    });
    // In the meantime another process starts and answers: a server that was not paused would have answered by then.
    const other = await bareFixed.start(folder);
    await checkAnswer(other.url, bareFixed.items!.get!, 0);
    assert.equal(answered, false);
    running.resume();
    await answer;
    await Promise.all([running.stop(), other.stop()]);
    await assert.rejects(checkAnswer(running.url, bareFixed.items!.get!, 0), { code: 'ECONNREFUSED' });
  });
});

test('a server that ends before it answers is an error that shows what it printed', async () => {
  await inFolder(async (folder) => {
    const args = ['-e', 'console.error("out of luck"); process.exit(3)'];
    const starting = startServer({
      name: 'x',
      command: process.execPath,
      args,
      folder,
      port: await freePort(),
    });
    await assert.rejects(starting, /exit code 3.*out of luck/s);
  });
});

test('a missing command is an error', async () => {
  await inFolder(async (folder) => {
    const server = { name: 'x', command: join(folder, 'nothing'), args: [], folder, port: await freePort() };
    await assert.rejects(startServer(server), /ENOENT/);
  });
});
