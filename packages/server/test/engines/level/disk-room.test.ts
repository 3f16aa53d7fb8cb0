import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
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
