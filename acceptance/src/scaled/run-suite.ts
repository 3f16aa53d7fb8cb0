import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolatedKeys } from '../isolated-projects.js';
import { runTestFiles } from '../run-test-files.js';
import { errorsIn, startServer } from '../server-process.js';
import { ownKey, ownOtherKey } from '../target.js';
import { startLoadBalancer } from './load-balancer.js';
import { suiteFiles } from './suite-files.js';

export interface Pairing {
  readonly name: string;
  /** The flags that choose the item store and the blob store. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly servers: number;
  /** Only the tests of files: another pairing has the same rows, and other bytes. */
  readonly onlyFiles?: boolean;
}

export interface SuiteRun {
  readonly passed: boolean;
  readonly seconds: number;
  /** Unexpected log lines and exit codes of the servers. */
  readonly faults: readonly string[];
}

/** Runs the black-box suite against servers that share one pairing of stores, each connection to one of them. */
export async function runSuite(pairing: Pairing): Promise<SuiteRun> {
  const { name, flags, environment, servers } = pairing;
  const startedMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-scaled-'));
  const keys = [ownKey, ownOtherKey, ...isolatedKeys].flatMap((key) => ['--key', key]);
  const place = flags.includes('--memory') ? [] : ['--data', join(folder, 'data')];
  const options = [...place, '--log-level', 'warn', ...keys, ...flags];
  const running = [];
  try {
    for (let n = 0; n < servers; n++) running.push(await startServer(options, { environment }));
    const entrance = await startLoadBalancer(running.map(({ url }) => Number(url.port)));
    process.stdout.write(`\n── ${name}\n`);
    const passed = await runTestFiles(await suiteFiles(pairing), entrance.url, {
      BASEDRIVE_TEST_CONNECTION_EACH: servers > 1 ? '1' : '0',
    });
    await entrance.close();
    const faults = entrance.shares().includes(0) ? ['a server got no connection'] : [];
    for (const server of running.splice(0)) {
      const ended = await server.stop();
      if (ended !== 0) faults.push(`a server exited with ${ended}`);
      faults.push(...errorsIn(server.log()));
    }
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    return { passed: passed && faults.length === 0, seconds, faults };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
    await rm(folder, { recursive: true });
  }
}
