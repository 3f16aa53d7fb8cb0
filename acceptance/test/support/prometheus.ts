import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/services/free-port.js';

const monitoring = fileURLToPath(new URL('../../../../docs/monitoring/', import.meta.url));
const timeoutMs = 30_000;

/** Why a test with Prometheus is skipped, or false. BASEDRIVE_REQUIRE_PROGRAMS=1 forbids to skip it. */
export function withoutPrometheus(): string | false {
  if (spawnSync('prometheus', ['--version']).status === 0) return false;
  if (process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1')
    throw new Error('prometheus is required (BASEDRIVE_REQUIRE_PROGRAMS) but not installed');
  return 'prometheus is not installed (Debian: prometheus)';
}

export interface Prometheus {
  /** Asks its HTTP API, such as `rules`, and gives the member `data` of the answer. */
  ask(path: string): Promise<unknown>;
  /** Waits until a query gives a value. Rejects if that takes too long. */
  becomes(query: string, value: number): Promise<void>;
}

/**
 * Starts a real Prometheus on loopback with the configuration and the alert rules of docs/monitoring. Only the address of
 * the metrics is another one, and the interval, for which the test would have to wait.
 */
export async function startPrometheus(
  context: TestContext,
  folder: string,
  metricsAddress: string,
): Promise<Prometheus> {
  const config = join(folder, 'monitoring');
  await cp(monitoring, config, { recursive: true });
  const file = join(config, 'prometheus.yml');
  const documented = await readFile(file, 'utf8');
  const changed = documented
    .replace('127.0.0.1:9464', metricsAddress)
    .replaceAll('_interval: 15s', '_interval: 1s');
  if (!changed.includes(metricsAddress) || !changed.includes('scrape_interval: 1s'))
    throw new Error(`prometheus.yml is not as expected:\n${documented}`);
  await writeFile(file, changed);
  const port = await freePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(child, 'close');
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;

  async function ask(path: string): Promise<unknown> {
    const answer = await fetch(`${url}/api/v1/${path}`);
    const { status, data } = (await answer.json()) as { status: string; data: unknown };
    if (status !== 'success') throw new Error(`Prometheus answers ${answer.status} for ${path}`);
    return data;
  }

  async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (!(await isTrue())) {
      if (performance.now() > deadlineMs || child.exitCode !== null)
        throw new Error(`not ${what}:\n${printed}`);
      await wait(100);
    }
  }

  const isReady = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok ?? false;
  await until('ready', isReady);
  return {
    ask,
    becomes: (query, value) =>
      until(`${query} = ${value}`, async () => {
        const { result } = (await ask(`query?query=${encodeURIComponent(query)}`)) as {
          result: { value: [number, string] }[];
        };
        return Number(result[0]?.value[1]) === value;
      }),
  };
}
