import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadResult } from '../load/load.js';
import { checkAnswer } from '../load/operation.js';
import { median } from '../results/measurement.js';
import { alone, type Bench, type Instance } from './bench.js';
import { type Highest, highestOf, watchMemory } from './memory.js';
import { measureInRotation } from './rotation.js';

const partBytes = 10 * 1024 * 1024;
/** More downloads at once would only share the same bandwidth. */
const downloadConnections = [1, 8];

const megabytesSent = (result: LoadResult) => result.bytes / 1e6 / result.seconds;

/** Uploads a file of 100 MB (in parts if the protocol has them), downloads it whole, and downloads a tenth of it by Range. */
export async function runLargeFiles(bench: Bench, instances: readonly Instance[]): Promise<void> {
  const label = bench.options.quick ? '24 MB' : '100 MB';
  const content = randomBytes(bench.options.quick ? 24 * 1024 * 1024 : 100 * 1024 * 1024);
  const uploaders = instances.filter(({ contender }) => contender.files?.uploadLarge !== undefined);
  if (bench.wants('upload large') || bench.wants('download large')) {
    await uploads(bench, uploaders, content, `upload large (${label})`);
  }
  if (!bench.wants('download large')) return;
  const ranges = { from: partBytes, to: partBytes * 2 };
  for (const [workload, offers] of [
    [
      `download large (${label})`,
      uploaders.map((instance) => ({ instance, operation: instance.contender.files?.download?.(content) })),
    ],
    [
      'download large 10 MB by range',
      uploaders.map((instance) => ({
        instance,
        operation: instance.contender.files?.downloadPart?.(content, ranges.from, ranges.to),
      })),
    ],
  ] as const) {
    const loads = [];
    for (const { instance, operation } of offers) {
      if (operation === undefined) continue;
      await alone(instance, () => checkAnswer(instance.running.url, operation, 0));
      const requests = [{ weight: 100, request: operation.request }];
      loads.push({ instance, requests, keys: { kind: 'random', below: 1 } as const });
    }
    for (const connections of downloadConnections) {
      await measureInRotation(bench, { workload, connections, unit: 'MB/s', value: megabytesSent }, loads);
    }
  }
}

/** For comparison, `dd` writes the same bytes and syncs them. */
async function uploads(bench: Bench, instances: readonly Instance[], content: Buffer, workload: string) {
  const megabytes = content.length / 1e6;
  const seen = new Map<string, { rates: number[]; memory: Highest[] }>();
  const add = (name: string, seconds: number, memory: Highest = {}) => {
    const { rates, memory: memories } = seen.get(name) ?? { rates: [], memory: [] };
    seen.set(name, {
      rates: [...rates, megabytes / seconds],
      memory: [...memories, memory],
    });
  };
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const instance of instances) {
      await alone(instance, async () => {
        const memory = watchMemory(instance.running);
        const began = performance.now();
        await instance.contender.files!.uploadLarge!(instance.running.url, content);
        add(instance.name, (performance.now() - began) / 1000, memory.stop());
      });
    }
    add('dd', writeWithDd(bench.folder('dd'), content));
  }
  for (const [contender, { rates, memory }] of seen) {
    bench.record({
      workload,
      contender,
      connections: 0,
      unit: 'MB/s',
      value: median(rates),
      rounds: rates,
      ...highestOf(memory),
    });
  }
}

/** Writes and syncs the content; returns the seconds that this took. */
function writeWithDd(folder: string, content: Buffer): number {
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  writeFileSync(source, content);
  rmSync(target, { force: true });
  const began = performance.now();
  const dd = spawnSync('dd', [`if=${source}`, `of=${target}`, 'bs=10M', 'conv=fsync'], { encoding: 'utf8' });
  const seconds = (performance.now() - began) / 1000;
  if (dd.status !== 0) throw new Error(`dd: ${dd.error?.message ?? dd.stderr}`);
  return seconds;
}
