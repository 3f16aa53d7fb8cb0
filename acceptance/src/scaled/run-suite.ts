import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolatedKeys } from '../isolated-projects.js';
import { startServer } from '../server-process.js';
import { ownKey, ownOtherKey } from '../target.js';
import { startRoundRobin } from './round-robin.js';
import { suiteFiles } from './suite-files.js';

export interface Pairing {
  readonly name: string;
  /** What says where rows and bytes lie. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly servers: number;
}

export interface SuiteRun {
  readonly passed: boolean;
  readonly seconds: number;
  /** What servers said that they should not have. */
  readonly faults: readonly string[];
}

const concurrency = 2;
const fileTimeoutMs = 180_000;

/** The whole black-box suite over servers on one pairing, each connection to the next of them. */
export async function runSuite({ name, flags, environment, servers }: Pairing): Promise<SuiteRun> {
  const startedMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-scaled-'));
  const keys = [ownKey, ownOtherKey, ...isolatedKeys].flatMap((key) => ['--key', key]);
  const options = ['--data', join(folder, 'data'), '--log-level', 'warn', ...keys, ...flags];
  const running = [];
  try {
    for (let n = 0; n < servers; n++) running.push(await startServer(options, { environment }));
    const entrance = await startRoundRobin(running.map(({ url }) => Number(url.port)));
    process.stdout.write(`\n── ${name}\n`);
    const suite = spawn(
      process.execPath,
      [
        '--test',
        `--test-concurrency=${concurrency}`,
        `--test-timeout=${fileTimeoutMs}`,
        ...(await suiteFiles()),
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          BASEDRIVE_TEST_URL: entrance.url.href,
          BASEDRIVE_TEST_KEY: ownKey,
          BASEDRIVE_TEST_OTHER_KEY: ownOtherKey,
          BASEDRIVE_TEST_CONNECTION_EACH: servers > 1 ? '1' : '0',
        },
      },
    );
    const [code] = (await once(suite, 'exit')) as [number | null];
    await entrance.close();
    const faults = entrance.shares().includes(0) ? ['A server had no connection'] : [];
    for (const server of running.splice(0)) {
      const ended = await server.stop();
      if (ended !== 0) faults.push(`A server ended with ${ended}`);
      faults.push(...errorsIn(server.log()));
    }
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    return { passed: code === 0 && faults.length === 0, seconds, faults };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true });
  }
}

/** Level 50 and above: what a server could not explain to a client. */
function errorsIn(log: string): string[] {
  return log.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
}
