import { setTimeout as wait } from 'node:timers/promises';
import { accountsModel } from '../model/accounts-model.js';
import { type Client, NoAnswer } from '../model/client.js';
import { counterModel } from '../model/counter-model.js';
import { entriesModel } from '../model/entries-model.js';
import { fileModel } from '../model/file-model.js';
import { fileEntries } from '../model/file-requests.js';
import { indexedItemEntries } from '../model/indexed-items.js';
import { itemModel } from '../model/item-model.js';
import { itemEntries } from '../model/item-requests.js';
import { type Model, WrongAnswer } from '../model/model.js';
import { transactionModel } from '../model/transaction-model.js';
import { uploadModel } from '../model/upload-model.js';
import { createRandom, type Random } from '../random.js';
import type { Tally } from './tally.js';

/** What one worker changes: its own models, and those that it shares with all workers. */
export interface Workload {
  readonly random: Random;
  readonly own: readonly Model[];
  readonly shared: readonly Model[];
}

const mib = 1024 * 1024;
/** On both sides of the size from which an engine may store a blob in several parts. */
const largeSizes = [700_000, 3 * mib, 9 * mib];
/** One in this many operations is a read; a model in doubt is only read. */
const readsOneIn = 4;
/** The delay after a failed request: more requests to an unavailable service would show nothing more. */
const retryDelayMs = 25;

/** One workload for each worker, and counters and accounts that all of them change. */
export function createWorkloads(seed: number, workers: number): Workload[] {
  const counters = ['visits', 'likes'].map((name) => counterModel('counters', name));
  const shared = [...counters, accountsModel('accounts')];
  return Array.from({ length: workers }, (_, n) => {
    const name = (kind: string, at: number) => `w${n}/${kind}${at}`;
    const items = [0, 1, 2].map((at) => itemModel(`base${n % 3}`, name('item', at)));
    const pair = transactionModel(`base${n % 3}`, name('pair', 0));
    const files = [0, 1].map((at) => fileModel(`drive${n % 2}`, name('file', at)));
    const uploads = [0, 1].map((at) => uploadModel(`drive${n % 2}`, name('upload', at)));
    const large = n % 4 === 0 ? [fileModel(`drive${n % 2}`, name('large', 0), largeSizes)] : [];
    const together = [
      entriesModel(n % 2 === 0 ? itemEntries(`items${n}`) : indexedItemEntries(`items${n}`)),
      entriesModel(fileEntries(`files${n}`)),
    ];
    const random = createRandom(seed + n + 1);
    return { random, own: [...items, pair, ...files, ...uploads, ...large, ...together], shared };
  });
}

export function modelsOf(workloads: readonly Workload[]): Model[] {
  return [...workloads.flatMap(({ own }) => own), ...(workloads[0]?.shared ?? [])];
}

/** Writes and reads until `stop`, whatever is unavailable in the meantime, and checks every answer. */
export async function work(
  client: Client,
  { random, own, shared }: Workload,
  tally: Tally,
  stop: AbortSignal,
): Promise<void> {
  const models = [...own, ...shared];
  while (!stop.aborted) {
    const model = random.pick(models);
    const isRead = model.isInDoubt || random.int(readsOneIn) === 0;
    try {
      if (isRead) await compare(model, tally, () => model.observe(client));
      else {
        await model.act(client, random);
        tally.current.acknowledged++;
      }
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) {
        report(model, cause, tally);
        continue;
      }
      if (!isRead) tally.current.inDoubt++;
      await wait(retryDelayMs);
    }
  }
}

/** Compares each model with what was acknowledged. To be called while nothing runs. */
export async function verifyAll(
  client: Client,
  models: readonly Model[],
  tally: Tally,
  concurrency: number,
): Promise<void> {
  for (let at = 0; at < models.length; at += concurrency) {
    await Promise.all(
      models.slice(at, at + concurrency).map(async (model) => {
        try {
          await compare(model, tally, () => model.verify(client));
        } catch (cause) {
          report(model, cause, tally);
        }
      }),
    );
  }
}

async function compare(model: Model, tally: Tally, read: () => ReturnType<Model['observe']>): Promise<void> {
  const findings = await read();
  tally.current.comparisons++;
  for (const { kind, text } of findings) tally.find(kind, model.name, text);
}

function report(model: Model, cause: unknown, tally: Tally): void {
  const kind = cause instanceof WrongAnswer ? cause.kind : 'wrong';
  tally.find(kind, model.name, `${model.name}: ${String(cause)}`);
}
