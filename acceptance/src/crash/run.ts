import { type Client, createClient, NoAnswer } from '../model/client.js';
import { counterModel } from '../model/counter-model.js';
import { fileModel } from '../model/file-model.js';
import { itemModel } from '../model/item-model.js';
import type { Model } from '../model/model.js';
import { transactionModel } from '../model/transaction-model.js';
import { uploadModel } from '../model/upload-model.js';
import { createRandom, type Random } from '../random.js';
import { dataFlags, startServer } from '../server-process.js';

export interface CrashRun {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** Called after each kill. */
  readonly progress?: (report: CrashReport) => void;
}

export interface CrashReport {
  kills: number;
  /** Operations that were answered. */
  acknowledged: number;
  /** Operations in flight at a kill. */
  inDoubt: number;
  /** Comparisons of one model with what was acknowledged. */
  comparisons: number;
  readonly losses: string[];
}

const key = 'crash_0123456789';
const workers = 16;
const modelsPerWorker = 8;
const shortestLoadMs = 30;
const longestLoadMs = 400;

/**
 * Loads the service over many connections, kills it at a random moment, starts it again on the same folder and compares
 * everything that was acknowledged, `kills` times.
 */
export async function runCrashes(run: CrashRun): Promise<CrashReport> {
  const random = createRandom(run.seed);
  const report: CrashReport = { kills: 0, acknowledged: 0, inDoubt: 0, comparisons: 0, losses: [] };
  const shared = ['visits', 'likes'].map((name) => counterModel('counters', name));
  const workloads = Array.from({ length: workers }, (_, n) => ({
    random: createRandom(run.seed + n + 1),
    models: [...ownModels(n), ...shared],
  }));
  const models = [...workloads.flatMap((each) => each.models.slice(0, modelsPerWorker)), ...shared];

  while (report.kills < run.kills) {
    const server = await startServer(dataFlags(run.folder, key, 'warn'));
    const client = createClient(server.port, key, workers);
    try {
      await verifyAll(client, models, report);
      const load = workloads.map((each) => work(client, each.models, each.random, report));
      await new Promise((resolve) => setTimeout(resolve, shortestLoadMs + random.int(longestLoadMs)));
      await server.kill();
      await Promise.all(load);
    } finally {
      await server.kill();
      client.close();
    }
    report.kills++;
    run.progress?.(report);
  }

  const server = await startServer(dataFlags(run.folder, key, 'warn'));
  const client = createClient(server.port, key, workers);
  await verifyAll(client, models, report);
  client.close();
  await server.kill();
  return report;
}

function ownModels(worker: number): Model[] {
  return Array.from({ length: modelsPerWorker }, (_, n) => {
    const name = `w${worker}/${n}`;
    if (n < 3) return itemModel(`base${worker % 3}`, name);
    if (n === 3) return transactionModel(`base${worker % 3}`, name);
    return n < 6 ? fileModel('files', name) : uploadModel('files', `${name}.part`);
  });
}

/** Changes random models until the server is killed. */
async function work(
  client: Client,
  models: readonly Model[],
  random: Random,
  report: CrashReport,
): Promise<void> {
  for (;;) {
    const model = random.pick(models);
    try {
      await model.act(client, random);
      report.acknowledged++;
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) {
        report.losses.push(`${model.name}: ${String(cause)}`);
        return;
      }
      report.inDoubt++;
      return;
    }
  }
}

async function verifyAll(client: Client, models: readonly Model[], report: CrashReport): Promise<void> {
  for (let at = 0; at < models.length; at += workers) {
    const checked = await Promise.all(models.slice(at, at + workers).map((model) => model.verify(client)));
    for (const losses of checked) report.losses.push(...losses.map(({ text }) => text));
    report.comparisons += checked.length;
  }
}
