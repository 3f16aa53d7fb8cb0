import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { basedrive } from '../../src/contenders/basedrive.js';
import { basedriveVariants } from '../../src/contenders/basedrive-variants.js';
import { nginxLuaRedis } from '../../src/contenders/nginx-lua-redis.js';
import { checkAnswer } from '../../src/load/operation.js';
import { fill } from '../../src/workloads/fill.js';

const items = 100;

for (const contender of [basedrive, ...basedriveVariants, nginxLuaRedis]) {
  const { name, missing, start } = contender;
  test(`${name} gives what was put into it, after a restart too`, {
    skip: missing?.() ?? false,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'basedrive-bench-test-'));
    const { get, put } = contender.items!;
    try {
      const first = await start(folder);
      await fill(first.url, put!, items).finally(first.stop);
      const second = await start(folder);
      await checkAnswer(second.url, get!, items - 1).finally(second.stop);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
