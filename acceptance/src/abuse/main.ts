import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApi } from '../api.js';
import { dataFlags, startServer } from '../server-process.js';
import { runHeavyTraffic } from './heavy-traffic.js';
import { runNormalClient } from './normal-client.js';
import { openSlowSenders } from './slow-senders.js';

/**
 * `npm run test:abuse -- --gigabytes 10 --downloads 200 --slow 1000`: the long version of the abuse tests. The data
 * folder is in the folder for temporary files, which needs twice the space of the upload.
 */
const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '10' },
    downloads: { type: 'string', default: '200' },
    slow: { type: 'string', default: '1000' },
  },
});
const key = 'abuse_0123456789';
const folder = await mkdtemp(join(tmpdir(), 'basedrive-abuse-'));
const server = await startServer(dataFlags(folder, key));
const { url, pid } = server;
const target = { url, pid, key, project: 'abuse', otherKey: '', close: async () => {} };
const api = createApi(target);
const progressIntervalMs = 5000;

process.stdout.write(`${cpus().length} cores\n`);
try {
  const alone = await runNormalClient(api, (requests) => requests < 5000);
  const slow = await openSlowSenders(target, Number(values.slow));
  const beside = await runNormalClient(api, (requests) => requests < 5000);
  slow.stop();
  const row = (who: string, run: typeof alone) =>
    `| ${who} | ${run.requests} | ${run.medianMs.toFixed(2)} | ${run.p99Ms.toFixed(2)} |\n`;
  process.stdout.write('\n| normal client | requests | median ms | p99 ms |\n|---|---|---|---|\n');
  process.stdout.write(row('alone', alone) + row(`with ${values.slow} slow senders`, beside));

  let shownMs = performance.now();
  const uploadMiB = Number(values.gigabytes) * 1024;
  const beganMs = performance.now();
  const report = await runHeavyTraffic({
    target,
    uploadMiB,
    partMiB: 8,
    downloads: Number(values.downloads),
    downloadMiB: 64,
    progress: (uploadedMiB, serverMiB) => {
      if (performance.now() - shownMs < progressIntervalMs) return;
      shownMs = performance.now();
      process.stdout.write(
        `${uploadedMiB}/${uploadMiB} MiB uploaded, server memory ${Math.round(serverMiB)} MiB\n`,
      );
    },
  });
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  process.stdout.write(`
| uploaded in parts of 8 MiB | parallel downloads of 64 MiB | server idle MiB | server peak MiB | seconds |
|---|---|---|---|---|
| ${values.gigabytes} GiB | ${report.downloaded} | ${Math.round(report.idleMiB)} | ${Math.round(report.peakMiB)} | ${seconds} |
`);
  process.exitCode = report.peakMiB < 300 ? 0 : 1;
} finally {
  api.close();
  await server.stop();
  await rm(folder, { recursive: true });
}
