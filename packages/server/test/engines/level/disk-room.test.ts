import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { watchDiskRoom } from '../../../src/engines/level/database/disk-room.js';
import { temporaryFolder } from '../../support/level-folder.js';

const mib = 1024 * 1024;
const tables = 200;

test('what the disk is asked beside writes does not grow with the number of tables', async (t) => {
  const folder = join(await temporaryFolder(t), 'rows');
  await mkdir(folder);
  for (let n = 0; n < tables; n++) await writeFile(join(folder, `${n}.ldb`), 'x');
  let logBytes = 0;
  let calls = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'FSREQPROMISE') calls++;
    },
  });
  const room = await watchDiskRoom({ folder, logBytes: () => logBytes });
  hook.enable();
  try {
    // Each of them is due. The tables are counted once a second, on a slow machine, too.
    const beganMs = performance.now();
    let looks = 0;
    for (; looks < 100; looks++) {
      logBytes += mib;
      await room.look();
    }
    const seconds = (performance.now() - beganMs) / 1000;
    assert.ok(calls >= looks, `${calls} calls: it has not looked`);
    const most = 5 * looks + (1 + Math.ceil(seconds)) * (tables + 5);
    assert.ok(calls < most, `${calls} calls for ${looks} looks in ${seconds} s`);
  } finally {
    hook.disable();
    await room.stop();
  }
});

test('the reserve grows with the rows, and becomes smaller when most of them were gone for a minute', async (t) => {
  const { room, table, looks, reaches, reserveBytes } = await watched(t);
  await writeFile(table, Buffer.alloc(10 * mib));
  await reaches(12 * mib);
  await rm(table);
  await looks(59);
  assert.equal(await reserveBytes(), 12 * mib);
  await reaches(2 * mib);
  await room.stop();
});

test('the reserve stays as large as it had to be within a minute', async (t) => {
  const { room, table, looks, reaches, reserveBytes } = await watched(t);
  for (let round = 0; round < 3; round++) {
    await writeFile(table, Buffer.alloc(10 * mib));
    await looks(1);
    await reaches(12 * mib);
    await rm(table);
    await looks(59);
  }
  await room.stop();
  assert.equal(await reserveBytes(), 12 * mib);
});

/** Rows without a table, and the reserve for them. The clock goes on by a second with each look. */
async function watched(t: TestContext) {
  const folder = join(await temporaryFolder(t), 'rows');
  await mkdir(folder);
  let now = 0;
  const room = await watchDiskRoom({ folder, logBytes: () => 0, monotonicMs: () => now });
  const looks = async (count: number) => {
    for (let n = 0; n < count; n++) {
      now += 1000;
      await room.look();
    }
  };
  const reserveBytes = async () => {
    const { size } = await stat(join(folder, 'RESERVE')).catch(() => ({ size: 0 }));
    return size;
  };
  /** It is resized in the background. */
  const reaches = async (bytes: number) => {
    while ((await reserveBytes()) !== bytes) {
      await looks(1);
      await setTimeout(5);
    }
  };
  room.keepReserve();
  await reaches(2 * mib);
  return { room, table: join(folder, '1.ldb'), looks, reaches, reserveBytes };
}
