import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  checkStore,
  dataFlags,
  type RunningServer,
  runCommand,
  type StoreProblem,
  startServer,
} from '../server-process.js';
import { startPostgres, type TestPostgres } from '../services/postgres.js';
import { startProxy } from '../services/proxy.js';
import { startOwnS3 } from '../services/s3.js';
import { type Fault, networkPartition, networkReset, serviceKill } from './faults.js';

/** What the servers run on, and the ways in which it breaks. */
export interface Deployment {
  startServer(n: number): Promise<RunningServer>;
  /** In addition to the kill of a server, which every deployment has. */
  readonly faults: readonly Fault[];
  /** Resolves when nothing that was sent before can still take effect: no transaction of that time runs. */
  quiesce(): Promise<void>;
  /** What `basedrive check` finds wrong, when no server runs. */
  check(): Promise<readonly StoreProblem[]>;
  /** Stops what was started for the deployment. */
  stop(): Promise<void>;
}

/** Where the servers store blobs, and the ways in which that breaks. */
export interface BlobDeployment {
  /** The value of `--blobs`. */
  readonly blobs: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
  stop(): Promise<void>;
}

const quiesceTimeoutMs = 30_000;
const pollIntervalMs = 20;

/** LevelDB and a folder of blobs: one server, and nothing else that could break. */
export function embeddedDeployment(folder: string, key: string): Deployment {
  return {
    startServer: () => startServer(dataFlags(folder, key, 'warn'), { outputFile: `${folder}.log` }),
    faults: [],
    quiesce: async () => {},
    check: () => checkStore(['--data', folder]),
    stop: async () => {},
  };
}

/** A folder that all servers share; it has no faults. */
export function sharedFolder(folder: string): BlobDeployment {
  return { blobs: folder, environment: {}, faults: [], stop: async () => {} };
}

/** An S3 store that servers reach through a proxy, which can interrupt the network. */
export async function s3Blobs(): Promise<BlobDeployment> {
  const s3 = await startOwnS3();
  const proxy = await startProxy(s3.port);
  return {
    blobs: `s3://${await s3.createBucket()}/bytes`,
    environment: s3.environment(`http://127.0.0.1:${proxy.port}`),
    faults: [serviceKill('the S3 gateway', s3), networkPartition('S3', proxy), networkReset('S3', proxy)],
    async stop() {
      await proxy.close();
      await s3.stop();
    },
  };
}

/** Servers whose rows are in a PostgreSQL, which they reach through a proxy that can interrupt the network. */
export async function postgresDeployment(
  folder: string,
  key: string,
  blobs: BlobDeployment,
  more: readonly string[] = [],
): Promise<Deployment> {
  const postgres = await startPostgres().catch(async (cause) => {
    await blobs.stop();
    throw cause;
  });
  const database = 'kills';
  await runCommand(['migrate', '--items', await postgres.createDatabase(database)]);
  const proxy = await startProxy(postgres.port);
  const items = `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  // Garbage is removed soon, so that maintenance runs under the kills too.
  const store = ['--items', items, '--blobs', blobs.blobs];
  const flags = [...store, '--garbage-grace', '1s', ...more];
  const { environment } = blobs;
  return {
    startServer(n) {
      const own = join(folder, `server${n}`);
      const outputFile = `${own}.log`;
      return startServer([...dataFlags(own, key, 'warn'), ...flags], { environment, outputFile });
    },
    faults: [
      serviceKill('PostgreSQL', postgres),
      networkPartition('PostgreSQL', proxy),
      networkReset('PostgreSQL', proxy),
      ...blobs.faults,
    ],
    quiesce: () => earlierTransactionsEnded(postgres),
    check: () => checkStore(['--data', join(folder, 'server0'), ...store], environment),
    async stop() {
      await proxy.close();
      await postgres.stop();
      await blobs.stop();
    },
  };
}

/** A statement that was sent before a network partition, or by a server that was killed, may still run. */
async function earlierTransactionsEnded(postgres: TestPostgres): Promise<void> {
  const [now] = await postgres.ask('SELECT now()');
  const older = `SELECT count(*) FROM pg_stat_activity WHERE xact_start < '${now}' AND backend_type = 'client backend'`;
  const deadlineMs = performance.now() + quiesceTimeoutMs;
  while ((await postgres.ask(older))[0] !== '0') {
    if (performance.now() > deadlineMs) throw new Error('A transaction does not end');
    await wait(pollIntervalMs);
  }
}
