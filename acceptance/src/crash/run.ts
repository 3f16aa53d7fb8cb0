import { accountsModel } from '../model/accounts-model.js';
import { type Client, createClient, NoAnswer } from '../model/client.js';
import { counterModel } from '../model/counter-model.js';
import { entriesModel } from '../model/entries-model.js';
import { fileModel } from '../model/file-model.js';
import { fileEntries } from '../model/file-requests.js';
import { indexedItemEntries } from '../model/indexed-items.js';
import { itemModel } from '../model/item-model.js';
import { itemEntries } from '../model/item-requests.js';
import { lost, type Model } from '../model/model.js';
import { transactionModel } from '../model/transaction-model.js';
import { uploadModel } from '../model/upload-model.js';
import { createRandom, type Random } from '../random.js';
import { dataFlags, startServer } from '../server-process.js';
import { checkStopped, type Kill } from './check-stopped.js';

export interface CrashRun {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** Further options of the server. */
  readonly options?: readonly string[];
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
  /** Blobs without a row at the end, which maintenance removes in time. */
  orphans: number;
  readonly losses: string[];
}

const key = 'crash_0123456789';
const workers = 16;
const shortestLoadMs = 30;
const longestLoadMs = 400;

/**
 * Loads the service over many connections, kills it at a random moment, starts it again on the same folder and compares
 * everything that was acknowledged, `kills` times.
 */
export async function runCrashes(run: CrashRun): Promise<CrashReport> {
  const random = createRandom(run.seed);
  const flags = [...dataFlags(run.folder, key, 'warn'), ...(run.options ?? [])];
  const report: CrashReport = {
    kills: 0,
    acknowledged: 0,
    inDoubt: 0,
    comparisons: 0,
    orphans: 0,
    losses: [],
  };
  const counters = ['visits', 'likes'].map((name) => counterModel('counters', name));
  const shared = [...counters, accountsModel('accounts')];
  const workloads = Array.from({ length: workers }, (_, n) => ({
    random: createRandom(run.seed + n + 1),
    own: ownModels(n),
  }));
  const models = [...workloads.flatMap(({ own }) => own), ...shared];
  const kills: Kill[] = [];

  while (report.kills < run.kills) {
    const server = await startServer(flags);
    const client = createClient(server.port, key, workers);
    try {
      await verifyAll(client, models, report);
      const load = workloads.map(({ own, random }) => work(client, [...own, ...shared], random, report));
      await new Promise((resolve) => setTimeout(resolve, shortestLoadMs + random.int(longestLoadMs)));
      await server.kill();
      const killedMs = Date.now();
      kills.push({ inFlightSinceMs: Math.min(...(await Promise.all(load))), killedMs });
    } finally {
      await server.kill();
      client.close();
    }
    report.kills++;
    run.progress?.(report);
  }

  const server = await startServer(flags);
  const client = createClient(server.port, key, workers);
  await verifyAll(client, models, report);
  client.close();
  await server.stop();
  const { losses, orphans } = await checkStopped(run.folder, kills);
  report.orphans = orphans;
  report.losses.push(...losses);
  return report;
}

function ownModels(worker: number): Model[] {
  const base = `base${worker % 3}`;
  const name = (n: number) => `w${worker}/${n}`;
  return [
    ...[0, 1, 2].map((n) => itemModel(base, name(n))),
    transactionModel(base, name(3)),
    ...[4, 5].map((n) => fileModel('files', name(n))),
    ...[6, 7].map((n) => uploadModel('files', `${name(n)}.part`)),
    entriesModel(worker % 2 === 0 ? itemEntries(`items${worker}`) : indexedItemEntries(`items${worker}`)),
    entriesModel(fileEntries(`files${worker}`)),
  ];
}

/** Changes random models until the server is killed. Returns when the request began that had no answer. */
async function work(
  client: Client,
  models: readonly Model[],
  random: Random,
  report: CrashReport,
): Promise<number> {
  for (;;) {
    const model = random.pick(models);
    const beganMs = Date.now();
    try {
      await model.act(client, random);
      report.acknowledged++;
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) {
        report.losses.push(`${model.name}: ${String(cause)}`);
        return beganMs;
      }
      report.inDoubt++;
      return beganMs;
    }
  }
}

async function verifyAll(client: Client, models: readonly Model[], report: CrashReport): Promise<void> {
  for (let at = 0; at < models.length; at += workers) {
    const checked = await Promise.all(
      models
        .slice(at, at + workers)
        .map((model) =>
          model.verify(client).catch((cause: unknown) => [lost(`${model.name}: ${String(cause)}`)]),
        ),
    );
    for (const losses of checked) report.losses.push(...losses.map(({ text }) => text));
    report.comparisons += checked.length;
  }
}
