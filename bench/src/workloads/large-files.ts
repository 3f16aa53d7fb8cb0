import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadResult } from '../load/load.js';
import { checkAnswer } from '../load/operation.js';
import { median } from '../results/measurement.js';
import { alone, type Bench, type Entrant } from './bench.js';
import { watchMemory } from './memory.js';
import { rotate } from './rotation.js';

const partBytes = 10 * 1024 * 1024;
/** More than a handful of such downloads at once only share what there is. */
const downloadConnections = [1, 8];

const megabytesSent = (result: LoadResult) => result.bytes / 1e6 / result.seconds;

/** A file of 100 MB: up (in parts where the protocol has them), down whole, and a tenth of it by Range. */
export async function runLargeFiles(bench: Bench, entrants: readonly Entrant[]): Promise<void> {
  const label = bench.options.quick ? '24 MB' : '100 MB';
  const content = randomBytes(bench.options.quick ? 24 * 1024 * 1024 : 100 * 1024 * 1024);
  const takers = entrants.filter(({ contender }) => contender.files?.uploadLarge !== undefined);
  if (bench.wants('upload large') || bench.wants('download large')) {
    await uploads(bench, takers, content, `upload large (${label})`);
  }
  if (!bench.wants('download large')) return;
  const ranges = { from: partBytes, to: partBytes * 2 };
  for (const [workload, offers] of [
    [
      `download large (${label})`,
      takers.map((entrant) => ({ entrant, operation: entrant.contender.files?.download?.(content) })),
    ],
    [
      'download large 10 MB by range',
      takers.map((entrant) => ({
        entrant,
        operation: entrant.contender.files?.downloadPart?.(content, ranges.from, ranges.to),
      })),
    ],
  ] as const) {
    const heats = [];
    for (const { entrant, operation } of offers) {
      if (operation === undefined) continue;
      await alone(entrant, () => checkAnswer(entrant.running.url, operation, 0));
      const requests = [{ weight: 100, request: operation.request }];
      heats.push({ entrant, requests, keys: { kind: 'random', below: 1 } as const });
    }
    for (const connections of downloadConnections) {
      await rotate(bench, { workload, connections, unit: 'MB/s', value: megabytesSent }, heats);
    }
  }
}

/** Beside the contenders stands dd: it writes the same bytes and syncs them. */
async function uploads(bench: Bench, entrants: readonly Entrant[], content: Buffer, workload: string) {
  const megabytes = content.length / 1e6;
  const seen = new Map<string, { rates: number[]; memory: number[] }>();
  const add = (name: string, seconds: number, memory?: number) => {
    const { rates, memory: memories } = seen.get(name) ?? { rates: [], memory: [] };
    seen.set(name, {
      rates: [...rates, megabytes / seconds],
      memory: memory === undefined ? memories : [...memories, memory],
    });
  };
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const entrant of entrants) {
      await alone(entrant, async () => {
        const memory = watchMemory(entrant.running);
        const began = performance.now();
        await entrant.contender.files!.uploadLarge!(entrant.running.url, content);
        add(entrant.name, (performance.now() - began) / 1000, memory.stop());
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
      ...(memory.length === 0 ? {} : { memoryMb: Math.max(...memory) }),
    });
  }
}

/** Seconds that it took. */
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
