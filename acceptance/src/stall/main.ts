import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataFlags, runCommand, startServer } from '../server-process.js';
import { startPostgres } from '../services/postgres.js';
import { alone, runStall, type StallReport } from './run.js';
import { type StoredRows, type StoredUpload, storeUploads } from './stored-uploads.js';

/**
 * `npm run test:stall -- --max-wait 50`: requests that cause as much work as the limits allow, at several sizes,
 * each with parallel GETs of a small item. The exit code is 1 if a GET waited longer in each of three attempts.
 * `--only sets` sends only those whose names contain this text. `--postgres` keeps the rows in a PostgreSQL that it starts: there a
 * request can also hold up others with locks and connections, in its own base and in others.
 */
const { values } = parseArgs({
  options: {
    'max-wait': { type: 'string', default: '50' },
    scales: { type: 'string', default: '0.01,0.1,1' },
    only: { type: 'string', default: '' },
    postgres: { type: 'boolean', default: false },
  },
});
const maxWaitMs = Number(values['max-wait']);
const maxTries = 3;
const key = 'stall_0123456789';
const project = 'stall';
const scales = values.scales.split(',').map(Number);
const folder = await mkdtemp(join(tmpdir(), 'basedrive-stall-'));
const counts = scales.flatMap((scale) =>
  Array.from({ length: maxTries }, () => Math.max(1, Math.round(10_000 * scale))),
);
const postgres = values.postgres ? await startPostgres() : undefined;
const { server, uploads } = await openServer().catch(async (cause) => {
  await postgres?.stop();
  throw cause;
});
const reports: StallReport[] = [];

async function openServer() {
  const rows = await openRows();
  const stored = await storeUploads(rows, { key, project }, counts);
  return { server: await startServer(rows.flags), uploads: [...stored] };
}

async function openRows(): Promise<StoredRows> {
  const flags = dataFlags(folder, key);
  if (postgres === undefined) return { flags, place: folder };
  const place = await postgres.createDatabase('stall');
  await runCommand(['migrate', '--items', place]);
  return { flags: [...flags, '--items', place, '--blobs', join(folder, 'blobs')], place };
}

function print(report: StallReport): void {
  const { name, bodyBytes, status, tookMs, longestWaitMs } = report;
  reports.push(report);
  process.stdout.write(
    `| ${name} | ${bodyBytes} | ${status} | ${tookMs.toFixed(0)} | ${longestWaitMs.toFixed(1)} |\n`,
  );
}

try {
  const target = { url: server.url, key, project, otherKey: '', close: async () => {} };
  for (const scale of scales) {
    process.stdout.write(
      `\n| request, scale ${scale} | bytes | status | ms | longest GET beside it, ms |\n|---|---|---|---|---|\n`,
    );
    await runStall(target, {
      scale,
      maxWaitMs,
      maxTries,
      only: values.only,
      nextUpload,
      onReport: print,
    });
  }
  const hostile = reports.filter(({ name }) => name !== alone);
  const accepted = hostile.filter(({ status }) => status < 400);
  const refused = hostile.filter(({ status }) => status >= 400);
  const tooLong = hostile.filter(({ longestWaitMs }) => longestWaitMs > maxWaitMs);
  process.stdout.write(`
${new Set(hostile.map(({ name }) => name)).size} requests at ${scales.length} sizes.
The longest wait of a GET: ${longest(reports.filter(({ name }) => name === alone))} ms alone, \
${longest(accepted)} ms beside the ${accepted.length} accepted, ${longest(refused)} ms beside the ${refused.length} refused.
${tooLong.length} requests made a GET wait longer than ${maxWaitMs} ms.
`);
  process.exitCode = tooLong.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true });
}

function nextUpload(parts: number): StoredUpload {
  const at = uploads.findIndex(({ count }) => count === parts);
  const [upload] = at < 0 ? [] : uploads.splice(at, 1);
  if (upload === undefined) throw new Error(`No upload of ${parts} parts is left`);
  return upload;
}

function longest(some: readonly StallReport[]): string {
  return Math.max(0, ...some.map(({ longestWaitMs }) => longestWaitMs)).toFixed(1);
}
