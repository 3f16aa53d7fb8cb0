import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { watchDiskRoom } from '../../../src/engines/level/disk-room.js';
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

test('the reserve grows with the rows, and becomes smaller when most of them are gone', async (t) => {
  const folder = join(await temporaryFolder(t), 'rows');
  await mkdir(folder);
  const table = join(folder, '1.ldb');
  await writeFile(table, Buffer.alloc(10 * mib));
  const room = await watchDiskRoom({ folder, logBytes: () => 0 });
  room.keepReserve();
  const reaches = async (bytes: number) => {
    const size = () =>
      stat(join(folder, 'RESERVE')).then(
        (found) => found.size,
        () => 0,
      );
    while ((await size()) !== bytes) {
      await room.look();
      await setTimeout(20);
    }
  };
  await reaches(12 * mib);
  await rm(table);
  await reaches(2 * mib);
  await room.stop();
});
