import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi } from '../../src/api.js';
import { freshBase } from '../../src/names.js';
import { residentMiB } from '../../src/resident-memory.js';
import { launchStoredTarget } from '../../src/target.js';
import { expectStatus } from '../support/expect.js';

const items = 100_000;
const linesAtOnce = 10_000;
const clients = 4;
const countsOfEach = 15;
/** Sixty counts left 767 MiB while nothing urged V8 to collect what stands for them, and 59 since. */
const mostGrowthMiB = 400;

test('counts that read all items, again and again, leave no memory behind', async (context) => {
  const target = await launchStoredTarget();
  const api = createApi(target);
  const base = freshBase(api);
  try {
    const text = 'x'.repeat(200);
    for (let first = 0; first < items; first += linesAtOnce) {
      const lines = Array.from(
        { length: linesAtOnce },
        (_, n) => `{"key":"k${first + n}","text":"${text}"}\n`,
      );
      expectStatus(await base.sendText('PUT', '/items', lines.join(''), 'application/x-ndjson'), 200);
    }
    const beforeMiB = residentMiB(target.pid);
    const count = async () => {
      for (let n = 0; n < countsOfEach; n++) {
        const counted = await base.sendText(
          'POST',
          '/query/count',
          '{"query":{"text?contains":"y"}}',
          'application/json',
        );
        assert.deepEqual(counted.json(), { count: 0 });
      }
    };
    await Promise.all(Array.from({ length: clients }, count));
    const growthMiB = residentMiB(target.pid) - beforeMiB;
    context.diagnostic(`${Math.round(growthMiB)} MiB more`);
    assert.ok(growthMiB < mostGrowthMiB, `${growthMiB} MiB more`);
  } finally {
    api.close();
    await target.close();
  }
});
