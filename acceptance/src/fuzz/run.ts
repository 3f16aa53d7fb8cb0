import { createRandom, type Random } from '../random.js';
import { residentMiB } from '../resident-memory.js';
import { saysClose } from './answers.js';
import { ambiguousKinds, brokenKinds } from './bad-framing.js';
import { corrupt } from './bad-requests.js';
import { converse, openPipeline, type Pipeline } from './connection.js';
import { goodRequest } from './good-requests.js';
import { answerProblem, orderProblem } from './oracle.js';
import {
  encode,
  type FuzzRequest,
  hiddenRequest,
  type Sender,
  sentinel,
  sentinelAnswer,
  smuggledBase,
  smuggledPrefix,
} from './request.js';

export interface FuzzRun {
  readonly port: number;
  /** The process id of the server, whose memory is sampled. */
  readonly pid: number;
  readonly sender: Sender;
  /** The number of bad requests to send, not counting the valid ones between them. */
  readonly requests: number;
  readonly seed: number;
  readonly progress?: (report: FuzzReport) => void;
}

export interface FuzzReport {
  bad: number;
  /** Valid requests that were answered correctly. */
  good: number;
  connections: number;
  /** The number of answers by status. */
  readonly statuses: Map<number, number>;
  /** Violations of the contract. The run ends when there are many. */
  readonly violations: string[];
  /** The resident memory of the server: after the warm-up, and the highest and the last value after it. */
  warmMiB: number;
  peakMiB: number;
  lastMiB: number;
}

const workers = 12;
/** The number of bad requests in one write to a kept-alive connection, and after how many of them a valid one follows. */
const pipelined = 48;
const sentinelEvery = 6;
const writesPerConnection = 12;
/** The share of rounds with bad framing, each on a connection of its own. */
const framingShare = 0.93;
const maxViolations = 20;
/** The share of a run in which caches and heaps grow to their final size. */
const warmUpShare = 0.2;
/** Bad requests must not leak memory: after the warm-up, the server may grow by no more than this. */
const maxGrowthMiB = 100;
/** The name of the base and drive changes before they grow, so that large answers do not raise the memory. */
const requestsPerName = 20_000;

/** Sends bad requests of every kind over many connections and checks every answer. */
export async function runFuzz(run: FuzzRun): Promise<FuzzReport> {
  const report: FuzzReport = {
    bad: 0,
    good: 0,
    connections: 0,
    statuses: new Map(),
    violations: [],
    warmMiB: 0,
    peakMiB: 0,
    lastMiB: 0,
  };
  let names = 0;
  /** The kind of bad request that each hidden request was in, by its number. */
  const hiddenIn: string[] = [];
  const nextName = () => `s${names++}`;

  async function runWorker(number: number): Promise<void> {
    const random = createRandom(run.seed * 1000 + number);
    let pipeline: Pipeline | undefined;
    let writes = 0;
    while (report.bad < run.requests && report.violations.length < maxViolations) {
      if (random.int(1000) < framingShare * 1000) {
        await framingRound(random);
        continue;
      }
      if (pipeline === undefined || !pipeline.open || writes >= writesPerConnection) {
        pipeline?.destroy();
        pipeline = await openPipeline(run.port);
        report.connections++;
        writes = 0;
      }
      await pipelineRound(random, pipeline);
      writes++;
      watch();
    }
    pipeline?.destroy();
  }

  /** Valid framing: every request has exactly one answer, in its place. */
  async function pipelineRound(random: Random, pipeline: Pipeline): Promise<void> {
    const requests: { bytes: Buffer; isHead: boolean; expected?: string; request?: FuzzRequest }[] = [];
    for (let n = 0; n < pipelined; n++) {
      const request = corrupt(random, goodRequest(random, run.sender, currentName()));
      requests.push({ bytes: encode(request), isHead: request.method === 'HEAD', request });
      if (n % sentinelEvery !== sentinelEvery - 1) continue;
      const name = nextName();
      requests.push({ bytes: sentinel(run.sender, name), isHead: false, expected: sentinelAnswer(name) });
    }
    report.bad += pipelined;
    try {
      const answers = await pipeline.exchange(requests);
      for (const [index, answer] of answers.entries()) {
        count(answer.status);
        const asked = requests[index];
        const problem = answerProblem(answer) ?? mismatch(asked?.expected, answer.body);
        if (problem !== undefined) violation(problem, asked?.bytes);
        else if (asked?.expected !== undefined) report.good++;
      }
      // A request that the parser refuses ends the connection, and its answer has `Connection: close`.
      const last = answers.at(-1);
      if (answers.length < requests.length && (last === undefined || !saysClose(last))) {
        violation(
          `${answers.length} of ${requests.length} were answered, and the last answer does not close the connection (${pipeline.failure})`,
          Buffer.concat(requests.slice(answers.length, answers.length + 5).map(({ bytes }) => bytes)),
        );
      }
    } catch (cause) {
      pipeline.destroy();
      violation(String(cause), requests[0]?.bytes);
    }
  }

  /** Bad framing, with valid requests before and after it, on a connection of its own. */
  async function framingRound(random: Random): Promise<void> {
    const before = Array.from({ length: random.int(3) }, nextName);
    const after = Array.from({ length: random.int(3) }, nextName);
    const isAmbiguous = random.int(2) === 0;
    const kinds = isAmbiguous ? ambiguousKinds : brokenKinds;
    const kind = random.pick(Object.keys(kinds));
    let good = goodRequest(random, run.sender, currentName());
    // The answer to HEAD has a length but no body, so a reader must know which answer it is.
    while (good.method === 'HEAD') good = goodRequest(random, run.sender, currentName());
    report.bad++;
    report.connections++;
    const hidden = hiddenRequest(run.sender, hiddenIn.push(kind) - 1);
    const bad = kinds[kind]?.({ random, sender: run.sender, good, hidden }) ?? Buffer.alloc(0);
    const stored = random.int(4) === 0 ? [storing(nextName())] : [];
    const first = [
      ...stored,
      ...before.map((name) => ({ bytes: sentinel(run.sender, name), answer: sentinelAnswer(name) })),
    ];
    const bytes = Buffer.concat([
      ...first.map((request) => request.bytes),
      bad,
      ...after.map((name) => sentinel(run.sender, name)),
    ]);
    const { answers, problem: broken } = await converse(run.port, bytes, first.length);
    for (const answer of answers) {
      count(answer.status);
      const problem = answerProblem(answer);
      if (problem !== undefined) violation(`${kind}: ${problem}`, bad);
    }
    const problem =
      broken ??
      orderProblem(
        answers,
        first.map(({ answer }) => answer),
        after.map(sentinelAnswer),
      );
    if (problem !== undefined) violation(`${kind}: ${problem}`, bytes);
    else report.good += first.length;
  }

  /** A valid request that stores, so that the bytes after it are read before it is answered. */
  function storing(name: string): { bytes: Buffer; answer: string } {
    const items = `[{"key":"${name}"}]`;
    const { project, key } = run.sender;
    const bytes = encode({
      method: 'PUT',
      target: `/v1/${project}/stored/items`,
      headers: [
        ['X-API-Key', key],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(`{"items":${items}}`),
    });
    return { bytes, answer: `{"processed":{"items":${items}}}` };
  }

  function currentName(): string {
    return `f${Math.floor(report.bad / requestsPerName)}`;
  }

  function count(status: number): void {
    report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
  }

  function violation(what: string, bytes: Buffer | undefined): void {
    const shown = bytes === undefined ? '' : JSON.stringify(bytes.subarray(0, 1500).toString('latin1'));
    report.violations.push(`${what}\n    sent: ${shown}`);
  }

  function watch(): void {
    report.lastMiB = residentMiB(run.pid);
    if (report.bad < run.requests * warmUpShare) report.warmMiB = report.lastMiB;
    report.peakMiB = Math.max(report.peakMiB, report.lastMiB);
    run.progress?.(report);
  }

  await Promise.all(Array.from({ length: workers }, (_, number) => runWorker(number)));
  await assertNothingWasSmuggled();
  const { warmMiB, peakMiB } = report;
  if (peakMiB - warmMiB > maxGrowthMiB) {
    violation(`the server grew from ${Math.round(warmMiB)} to ${Math.round(peakMiB)} MiB`, undefined);
  }
  return report;

  async function assertNothingWasSmuggled(): Promise<void> {
    const pipeline = await openPipeline(run.port);
    const query = encode({
      method: 'POST',
      target: `/v1/${run.sender.project}/${smuggledBase}/query`,
      headers: [
        ['X-API-Key', run.sender.key],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from('{}'),
    });
    const [answer] = await pipeline.exchange([{ bytes: query, isHead: false }]);
    pipeline.destroy();
    const { items } = JSON.parse(answer?.body ?? '') as { items: { key: string }[] };
    for (const { key } of items) {
      violation(
        `${hiddenIn[Number(key.slice(smuggledPrefix.length))]}: a hidden request stored ${key}`,
        undefined,
      );
    }
  }
}

function mismatch(expected: string | undefined, body: string): string | undefined {
  if (expected === undefined || expected === body) return undefined;
  return `expected ${expected}, received ${body.slice(0, 200)}`;
}
