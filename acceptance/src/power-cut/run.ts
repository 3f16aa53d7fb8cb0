import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '../model/client.js';
import { fileEntries } from '../model/file-requests.js';
import { indexedItemEntries } from '../model/indexed-items.js';
import { itemEntries } from '../model/item-requests.js';
import { createRandom } from '../random.js';
import { dataFlags, type ServerProcess, startServer } from '../server-process.js';
import { readAnswers } from './answers.js';
import { Disk, type View } from './disk.js';
import { compare, type History } from './history.js';
import { type LoadedModel, loadedEntries, loadedFile, loadedItem, type Send } from './load.js';
import { parseTrace, type TraceEvent, tracedCalls } from './trace.js';

const key = 'powercut_0123456789';
const workers = 8;
const connections = 16;
const longestString = 4 * 1024 * 1024;

export interface TracedLoad {
  readonly folder: string;
  readonly histories: readonly History[];
  readonly events: readonly TraceEvent[];
}

/** Loads the service over several connections at once, under `strace`, and kills it at the end. */
export async function traceLoad(
  workFolder: string,
  load: { readonly steps: number; readonly seed: number; readonly textBytes: number },
): Promise<TracedLoad> {
  const folder = join(workFolder, 'data');
  const output = join(workFolder, 'trace');
  const strace = ['strace', '-f', '-y', '-xx', '--seccomp-bpf', '-s', String(longestString), '-o', output];
  const server = await startServer(dataFlags(folder, key, 'warn'), {
    wrapper: [...strace, '-e', `trace=${tracedCalls}`],
  });
  const client = createClient(server.port, key, connections);
  const modelsOfWorkers = Array.from({ length: workers }, (_, n): LoadedModel[] => [
    loadedItem(`i${n}`, load.textBytes),
    loadedItem(`j${n}`, 100),
    loadedFile(`f${n}`),
    loadedFile(`g${n}`),
    loadedEntries((n % 2 === 0 ? itemEntries : indexedItemEntries)(`items${n}`, [10, 1000]), client),
    loadedEntries(fileEntries(`files${n}`), client),
  ]);
  await Promise.all(
    modelsOfWorkers.map(async (models, n) => {
      const random = createRandom(load.seed + n);
      for (let step = 0; step < load.steps; step++) {
        const send: Send = (id, { method, path, body, headers }) =>
          client.send(method, path, body, { ...headers, 'X-Request-Id': id });
        await random.pick(models).next(send, random);
      }
    }),
  );
  client.close();
  await server.kill();
  return {
    folder,
    histories: modelsOfWorkers.flat().map(({ history }) => history),
    events: await parseTrace(createInterface({ input: createReadStream(output, 'latin1') })),
  };
}

/** The syncs that must precede an answer, by what is synced. */
export const syncClasses = {
  'the log of the rows': (path: string) => /\/rows\/\d+\.log$/.test(path),
  'the folder of the rows': (path: string) => path.endsWith('/rows'),
  'the file of a blob': (path: string) => /\/blobs\/..\/[^/]+$/.test(path),
  'the folder of a blob': (path: string) => /\/blobs\/..$/.test(path),
  'a pack of blobs': (path: string) => /\/blobs\/packs\/[^/]+\/[^/]+$/.test(path),
  'the folder of the packs': (path: string) => /\/blobs\/packs\/[^/]+$/.test(path),
} as const;

export type SyncClass = keyof typeof syncClasses;

export interface CutOptions {
  readonly workFolder: string;
  /** The maximum number of power cuts. They are evenly spread over the syncs, and the last sync is among them. */
  readonly cuts: number;
  readonly view?: View;
  /** Ignores these syncs, as if the service did not do them. */
  readonly without?: SyncClass;
  /** Whether to end at the first loss. */
  readonly untilLoss?: boolean;
  readonly progress?: (report: CutReport) => void;
}

export interface CutReport {
  /** The number of syncs in the trace. */
  readonly points: number;
  cuts: number;
  comparisons: number;
  /** The number of answers that were sent before the last cut. */
  answered: number;
  readonly losses: string[];
}

/**
 * Simulates power cuts after syncs of a trace: writes the folder that was on stable storage then, starts the service on
 * it, and compares what it stores with what was answered before the next sync ended.
 */
export async function cutPower(load: TracedLoad, options: CutOptions): Promise<CutReport> {
  const { folder, histories, events } = load;
  const drop = options.without === undefined ? () => false : syncClasses[options.without];
  const isCut = (event: TraceEvent) => event.kind === 'sync-ends';
  const points = events.filter(isCut).length;
  const interval = Math.max(1, points / options.cuts);
  const report: CutReport = { points, cuts: 0, comparisons: 0, answered: 0, losses: [] };
  if (!events.some((event) => event.kind === 'sent')) throw new Error('The trace shows no answer');

  const disk = new Disk(folder);
  const answers = readAnswers();
  let due = false;
  let nextCut = points - 1 - interval * (Math.min(options.cuts, points) - 1);
  let point = 0;
  for (const event of events) {
    if (event.kind === 'sent') answers.add(event);
    if (isCut(event) && due) {
      await cut();
      due = false;
      if (options.untilLoss && report.losses.length > 0) return report;
    }
    if (!(event.kind === 'sync-ends' && drop(event.path))) disk.apply(event);
    if (isCut(event)) {
      if (point >= nextCut - 1e-9) {
        due = true;
        nextCut += interval;
      }
      point++;
    }
  }
  if (due) await cut();
  return report;

  async function cut(): Promise<void> {
    const copy = join(options.workFolder, 'cut');
    await rm(copy, { recursive: true, force: true });
    await disk.materialise(copy, options.view ?? 'synced');
    report.cuts++;
    report.answered = answers.ids.size;
    report.comparisons += histories.length;
    report.losses.push(...(await lossesOf(copy)));
    options.progress?.(report);
  }

  async function lossesOf(copy: string): Promise<string[]> {
    let server: ServerProcess;
    try {
      server = await startServer(dataFlags(copy, key, 'warn'));
    } catch (cause) {
      return [`the service does not start: ${String(cause)}`];
    }
    const client = createClient(server.port, key, connections);
    try {
      return await compare(client, histories, answers.ids);
    } catch (cause) {
      return [String(cause)];
    } finally {
      client.close();
      await server.kill();
    }
  }
}
