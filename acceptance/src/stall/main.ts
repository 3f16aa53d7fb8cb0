import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataFlags, startServer } from '../server-process.js';
import { runStall, type StallReport } from './run.js';

/**
 * `npm run test:stall -- --max-wait 50`: requests that cause as much work as the limits allow, at several sizes,
 * each with parallel GETs of a small item. The exit code is 1 if a GET waited longer in each of three attempts.
 */
const { values } = parseArgs({
  options: {
    'max-wait': { type: 'string', default: '50' },
    scales: { type: 'string', default: '0.01,0.1,1' },
  },
});
const maxWaitMs = Number(values['max-wait']);
const key = 'stall_0123456789';
const folder = await mkdtemp(join(tmpdir(), 'basedrive-stall-'));
const server = await startServer(dataFlags(folder, key));
let tooLong = 0;

function print({ name, bodyBytes, status, tookMs, longestWaitMs }: StallReport): void {
  if (longestWaitMs > maxWaitMs) tooLong++;
  process.stdout.write(
    `| ${name} | ${bodyBytes} | ${status} | ${tookMs.toFixed(0)} | ${longestWaitMs.toFixed(1)} |\n`,
  );
}

try {
  const target = { url: server.url, key, project: 'stall', otherKey: '', close: async () => {} };
  for (const scale of values.scales.split(',')) {
    process.stdout.write(
      `\n| request, scale ${scale} | bytes | status | ms | longest GET beside it, ms |\n|---|---|---|---|---|\n`,
    );
    await runStall(target, { scale: Number(scale), maxWaitMs, maxTries: 3, onReport: print });
  }
  process.stdout.write(`\n${tooLong} requests made a GET wait longer than ${maxWaitMs} ms\n`);
  process.exitCode = tooLong === 0 ? 0 : 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}
