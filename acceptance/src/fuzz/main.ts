import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataFlags, startServer } from '../server-process.js';
import { runFuzz } from './run.js';

/** `npm run test:fuzz -- --requests 1000000 --seed 7`: the long version of the fuzz test. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const progressIntervalMs = 5000;
const key = 'fuzz_0123456789';

const folder = await mkdtemp(join(tmpdir(), 'basedrive-fuzz-'));
const server = await startServer(dataFlags(folder, key));
const startedMs = performance.now();
let shownMs = startedMs;

process.stdout.write(`${requests} bad requests, seed ${seed}, ${cpus().length} cores\n`);
const report = await runFuzz({
  port: Number(server.url.port),
  pid: server.pid,
  sender: { project: 'fuzz', key },
  requests,
  seed,
  progress: ({ bad, lastMiB, violations }) => {
    if (performance.now() - shownMs < progressIntervalMs) return;
    shownMs = performance.now();
    const rate = Math.round((bad * 1000) / (shownMs - startedMs));
    const end = process.stdout.isTTY ? '\r' : '\n';
    process.stdout.write(
      `${bad}/${requests} (${rate}/s), ${violations.length} violations, ${Math.round(lastMiB)} MiB${end}`,
    );
  },
});

const seconds = Math.round((performance.now() - startedMs) / 1000);
const exitCode = await server.stop();
const failures = server
  .log()
  .split('\n')
  .filter((line) => line.includes('"request failed"'));
const statuses = [...report.statuses]
  .sort(([a], [b]) => a - b)
  .map(([status, count]) => `${status}: ${count}`);
process.stdout.write(`
| bad requests | valid requests between them | connections | violations | failures in the log | server MiB: warm, peak, last | seconds |
|---|---|---|---|---|---|---|
| ${report.bad} | ${report.good} | ${report.connections} | ${report.violations.length} | ${failures.length} | ${[report.warmMiB, report.peakMiB, report.lastMiB].map(Math.round).join(', ')} | ${seconds} |

Answers by status: ${statuses.join(', ')}
`);
for (const text of [...report.violations, ...failures]) process.stdout.write(`VIOLATION ${text}\n`);
if (exitCode !== 0) process.stdout.write(`The server exited with ${exitCode}\n`);
await rm(folder, { recursive: true });
process.exitCode = report.violations.length === 0 && failures.length === 0 && exitCode === 0 ? 0 : 1;
