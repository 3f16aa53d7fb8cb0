import { type Client, createClient, NoAnswer } from '../model/client.js';
import { counterSubject } from '../model/counter-model.js';
import { fileSubject } from '../model/file-model.js';
import { itemSubject } from '../model/item-model.js';
import type { Subject } from '../model/model.js';
import { uploadSubject } from '../model/upload-model.js';
import { createRandom, type Random } from '../random.js';
import { startServer } from '../server-process.js';

export interface CrashRun {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** Called after each kill and check. */
  readonly progress?: (report: CrashReport) => void;
}

export interface CrashReport {
  kills: number;
  /** Operations that were answered. */
  acknowledged: number;
  /** Operations that were under way at a kill. */
  inDoubt: number;
  /** Comparisons of one subject with what was acknowledged. */
  checks: number;
  readonly losses: string[];
}

const key = 'crash_0123456789';
const workers = 16;
const subjectsPerWorker = 8;
const shortestLoadMs = 30;
const longestLoadMs = 400;

/**
 * Loads the service from many connections, kills it at a random moment, starts it again on the same folder
 * and compares everything that was acknowledged, as often as asked.
 */
export async function runCrashes(run: CrashRun): Promise<CrashReport> {
  const random = createRandom(run.seed);
  const report: CrashReport = { kills: 0, acknowledged: 0, inDoubt: 0, checks: 0, losses: [] };
  const shared = ['visits', 'likes'].map((name) => counterSubject('counters', name));
  const crews = Array.from({ length: workers }, (_, n) => ({
    random: createRandom(run.seed + n + 1),
    subjects: [...ownSubjects(n), ...shared],
  }));
  const subjects = [...crews.flatMap((crew) => crew.subjects.slice(0, subjectsPerWorker)), ...shared];

  while (report.kills < run.kills) {
    const server = await startServer(run.folder, key);
    const client = createClient(server.port, key, workers);
    try {
      await checkAll(client, subjects, report);
      const load = crews.map((crew) => work(client, crew.subjects, crew.random, report));
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

  const server = await startServer(run.folder, key);
  const client = createClient(server.port, key, workers);
  await checkAll(client, subjects, report);
  client.close();
  await server.kill();
  return report;
}

function ownSubjects(worker: number): Subject[] {
  return Array.from({ length: subjectsPerWorker }, (_, n) => {
    const name = `w${worker}/${n}`;
    if (n < 4) return itemSubject(`base${worker % 3}`, name);
    return n < 6 ? fileSubject('files', name) : uploadSubject('files', `${name}.part`);
  });
}

/** Acts until the server is gone. */
async function work(
  client: Client,
  subjects: readonly Subject[],
  random: Random,
  report: CrashReport,
): Promise<void> {
  for (;;) {
    const subject = random.pick(subjects);
    try {
      await subject.act(client, random);
      report.acknowledged++;
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) {
        report.losses.push(`${subject.name}: ${String(cause)}`);
        return;
      }
      report.inDoubt++;
      return;
    }
  }
}

async function checkAll(client: Client, subjects: readonly Subject[], report: CrashReport): Promise<void> {
  for (let at = 0; at < subjects.length; at += workers) {
    const checked = await Promise.all(
      subjects.slice(at, at + workers).map((subject) => subject.check(client)),
    );
    for (const losses of checked) report.losses.push(...losses.map(({ text }) => text));
    report.checks += checked.length;
  }
}
