import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../launch.js';
import { startServer } from '../server-process.js';
import { startPostgres, type TestPostgres } from '../services/postgres.js';
import { startProxy } from '../services/proxy.js';
import { startOwnS3 } from '../services/s3.js';
import { cutStrike, killStrike, resetStrike, type Strike } from './faults.js';
import type { Ground } from './run.js';

/** Where bytes lie, and the ways in which that breaks. */
export interface BytesGround {
  readonly blobs: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly strikes: readonly Strike[];
  stop(): Promise<void>;
}

const restWithinMs = 30_000;
const askEveryMs = 20;

/** A folder that all servers see: it does not break by itself. */
export function sharedFolder(folder: string): BytesGround {
  return { blobs: folder, environment: {}, strikes: [], stop: async () => {} };
}

/** An S3 store of our own, which servers reach through a wire that breaks. */
export async function openS3Bytes(): Promise<BytesGround> {
  const s3 = await startOwnS3();
  const proxy = await startProxy(s3.port);
  return {
    blobs: `s3://${await s3.createBucket()}/bytes`,
    environment: s3.environment(`http://127.0.0.1:${proxy.port}`),
    strikes: [killStrike('the S3 gateway', s3), cutStrike('S3', proxy), resetStrike('S3', proxy)],
    async stop() {
      await proxy.close();
      await s3.stop();
    },
  };
}

/** Rows in a PostgreSQL of our own, which servers reach through a wire that breaks. */
export async function openSharedGround(
  folder: string,
  key: string,
  bytes: BytesGround,
): Promise<Ground & { stop(): Promise<void> }> {
  const postgres = await startPostgres().catch(async (cause) => {
    await bytes.stop();
    throw cause;
  });
  const database = 'kills';
  await runCommand(['migrate', '--items', await postgres.createDatabase(database)]);
  const proxy = await startProxy(postgres.port);
  const items = `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  // Garbage goes soon, so that the sweep works under the kills too.
  const flags = ['--items', items, '--blobs', bytes.blobs, '--garbage-grace', '1s'];
  const { environment } = bytes;
  return {
    startServer: (n) =>
      startServer(join(folder, `server${n}`), key, {
        flags,
        environment,
        output: join(folder, `server${n}.log`),
      }),
    strikes: [
      killStrike('PostgreSQL', postgres),
      cutStrike('PostgreSQL', proxy),
      resetStrike('PostgreSQL', proxy),
      ...bytes.strikes,
    ],
    rest: () => transactionsOver(postgres),
    async stop() {
      await proxy.close();
      await postgres.stop();
      await bytes.stop();
    },
  };
}

/** A statement that was sent before a cut may run behind it. Those of servers that were killed run on, too. */
async function transactionsOver(postgres: TestPostgres): Promise<void> {
  const [now] = await postgres.ask('SELECT now()');
  const older = `SELECT count(*) FROM pg_stat_activity WHERE xact_start < '${now}' AND backend_type = 'client backend'`;
  const giveUpMs = performance.now() + restWithinMs;
  while ((await postgres.ask(older))[0] !== '0') {
    if (performance.now() > giveUpMs) throw new Error('A transaction does not end');
    await wait(askEveryMs);
  }
}
