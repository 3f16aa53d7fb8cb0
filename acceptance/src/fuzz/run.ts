import { createRandom } from '../random.js';
import { residentMiB } from '../resident-memory.js';
import { openPipeline, type Pipeline } from './connection.js';
import { emptyReport, type FuzzReport, noteViolation } from './report.js';
import { encode, type Sender, smuggledBase, smuggledPrefix } from './request.js';
import { framingRound, pipelineRound, type Rounds } from './rounds.js';

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

const workers = 12;
const writesPerConnection = 12;
/** The share of rounds with bad framing, each on a connection of its own. */
const framingShare = 0.93;
const maxViolations = 20;
/** The share of a run in which caches and heaps grow to their final size. */
const warmUpShare = 0.2;
/** Bad requests must not leak memory: after the warm-up, the server may grow by no more than this. */
const maxGrowthMiB = 100;

/** Sends bad requests of every kind over many connections and checks every answer. */
export async function runFuzz(run: FuzzRun): Promise<FuzzReport> {
  const report = emptyReport();
  let names = 0;
  const nextName = () => `s${names++}`;
  const rounds: Rounds = { port: run.port, sender: run.sender, report, hiddenIn: [], nextName };
  await Promise.all(Array.from({ length: workers }, (_, number) => runWorker(run, rounds, number)));
  await checkNothingWasSmuggled(rounds);
  const { warmMiB, peakMiB } = report;
  if (peakMiB - warmMiB > maxGrowthMiB) {
    noteViolation(report, `the server grew from ${Math.round(warmMiB)} to ${Math.round(peakMiB)} MiB`);
  }
  return report;
}

async function runWorker(run: FuzzRun, rounds: Rounds, number: number): Promise<void> {
  const { report } = rounds;
  const random = createRandom(run.seed * 1000 + number);
  let pipeline: Pipeline | undefined;
  let writes = 0;
  while (report.bad < run.requests && report.violations.length < maxViolations) {
    if (random.int(1000) < framingShare * 1000) {
      await framingRound(rounds, random);
      continue;
    }
    if (pipeline === undefined || !pipeline.open || writes >= writesPerConnection) {
      pipeline?.destroy();
      pipeline = await openPipeline(run.port);
      report.connections++;
      writes = 0;
    }
    await pipelineRound(rounds, random, pipeline);
    writes++;
    watchMemory(run, report);
  }
  pipeline?.destroy();
}

function watchMemory({ pid, requests, progress }: FuzzRun, report: FuzzReport): void {
  report.lastMiB = residentMiB(pid);
  if (report.bad < requests * warmUpShare) report.warmMiB = report.lastMiB;
  report.peakMiB = Math.max(report.peakMiB, report.lastMiB);
  progress?.(report);
}

/** A request that was hidden in the body of another one stores an item, if the server takes it for a request. */
async function checkNothingWasSmuggled({ port, sender, report, hiddenIn }: Rounds): Promise<void> {
  const pipeline = await openPipeline(port);
  const query = encode({
    method: 'POST',
    target: `/v1/${sender.project}/${smuggledBase}/query`,
    headers: [
      ['X-API-Key', sender.key],
      ['Content-Type', 'application/json'],
    ],
    body: Buffer.from('{}'),
  });
  const [answer] = await pipeline.exchange([{ bytes: query, isHead: false }]);
  pipeline.destroy();
  const { items } = JSON.parse(answer?.body ?? '') as { items: { key: string }[] };
  for (const { key } of items) {
    const kind = hiddenIn[Number(key.slice(smuggledPrefix.length))];
    noteViolation(report, `${kind}: a hidden request stored ${key}`);
  }
}
