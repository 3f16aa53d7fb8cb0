import type { Random } from '../random.js';
import { saysClose } from './answers.js';
import { ambiguousKinds, brokenKinds } from './bad-framing.js';
import { corrupt } from './bad-requests.js';
import { converse, type Pipeline } from './connection.js';
import { goodRequest } from './good-requests.js';
import { answerProblem, orderProblem } from './oracle.js';
import { type FuzzReport, noteStatus, noteViolation } from './report.js';
import { encode, hiddenRequest, type Sender, sentinel, sentinelAnswer } from './request.js';

/** The number of bad requests in one write to a kept-alive connection, and after how many of them a valid one follows. */
const pipelined = 48;
const sentinelEvery = 6;
/** The name of the base and drive changes before they grow, so that large answers do not raise the memory. */
const requestsPerName = 20_000;

/** What all rounds of a run share. */
export interface Rounds {
  readonly port: number;
  readonly sender: Sender;
  readonly report: FuzzReport;
  /** The kind of bad request that each hidden request was in, by its number. */
  readonly hiddenIn: string[];
  /** Gives a name that no request had before. */
  nextName(): string;
}

/** Valid framing: every request has exactly one answer, in its place. */
export async function pipelineRound(rounds: Rounds, random: Random, pipeline: Pipeline): Promise<void> {
  const { report } = rounds;
  const requests = pipelinedRequests(rounds, random);
  report.bad += pipelined;
  try {
    const answers = await pipeline.exchange(requests);
    for (const [index, answer] of answers.entries()) {
      noteStatus(report, answer.status);
      const asked = requests[index];
      const problem = answerProblem(answer) ?? mismatch(asked?.expected, answer.body);
      if (problem !== undefined) noteViolation(report, problem, asked?.bytes);
      else if (asked?.expected !== undefined) report.good++;
    }
    // A request that the parser refuses ends the connection, and its answer has `Connection: close`.
    const last = answers.at(-1);
    if (answers.length < requests.length && (last === undefined || !saysClose(last))) {
      noteViolation(
        report,
        `${answers.length} of ${requests.length} were answered, and the last answer does not close the connection (${pipeline.failure})`,
        Buffer.concat(requests.slice(answers.length, answers.length + 5).map(({ bytes }) => bytes)),
      );
    }
  } catch (cause) {
    pipeline.destroy();
    noteViolation(report, String(cause), requests[0]?.bytes);
  }
}

/** Bad requests, and after some of them a valid one whose answer is known. */
function pipelinedRequests({ sender, report, nextName }: Rounds, random: Random) {
  const base = baseOf(report);
  return Array.from({ length: pipelined }, (_, n) => {
    const request = corrupt(random, goodRequest(random, sender, base));
    const bad = { bytes: encode(request), isHead: request.method === 'HEAD', expected: undefined };
    if (n % sentinelEvery !== sentinelEvery - 1) return [bad];
    const name = nextName();
    return [bad, { bytes: sentinel(sender, name), isHead: false, expected: sentinelAnswer(name) }];
  }).flat();
}

/** Bad framing, with valid requests before and after it, on a connection of its own. */
export async function framingRound(rounds: Rounds, random: Random): Promise<void> {
  const { port, sender, report, nextName } = rounds;
  const before = Array.from({ length: random.int(3) }, nextName);
  const after = Array.from({ length: random.int(3) }, nextName);
  const { kind, bad } = badFraming(rounds, random);
  report.bad++;
  report.connections++;
  const stored = random.int(4) === 0 ? [storing(sender, nextName())] : [];
  const first = [
    ...stored,
    ...before.map((name) => ({ bytes: sentinel(sender, name), answer: sentinelAnswer(name) })),
  ];
  const bytes = Buffer.concat([
    ...first.map((request) => request.bytes),
    bad,
    ...after.map((name) => sentinel(sender, name)),
  ]);
  const { answers, problem: broken } = await converse(port, bytes, first.length);
  for (const answer of answers) {
    noteStatus(report, answer.status);
    const problem = answerProblem(answer);
    if (problem !== undefined) noteViolation(report, `${kind}: ${problem}`, bad);
  }
  const expected = first.map(({ answer }) => answer);
  const problem = broken ?? orderProblem(answers, expected, after.map(sentinelAnswer));
  if (problem !== undefined) noteViolation(report, `${kind}: ${problem}`, bytes);
  else report.good += first.length;
}

function badFraming({ sender, report, hiddenIn }: Rounds, random: Random): { kind: string; bad: Buffer } {
  const kinds = random.int(2) === 0 ? ambiguousKinds : brokenKinds;
  const kind = random.pick(Object.keys(kinds));
  let good = goodRequest(random, sender, baseOf(report));
  // The answer to HEAD has a length but no body, so a reader must know which answer it is.
  while (good.method === 'HEAD') good = goodRequest(random, sender, baseOf(report));
  const hidden = hiddenRequest(sender, hiddenIn.push(kind) - 1);
  return { kind, bad: kinds[kind]?.({ random, sender, good, hidden }) ?? Buffer.alloc(0) };
}

/** A valid request that stores, so that the bytes after it are read before it is answered. */
function storing({ project, key }: Sender, name: string): { bytes: Buffer; answer: string } {
  const items = `[{"key":"${name}"}]`;
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

function baseOf({ bad }: FuzzReport): string {
  return `f${Math.floor(bad / requestsPerName)}`;
}

function mismatch(expected: string | undefined, body: string): string | undefined {
  if (expected === undefined || expected === body) return undefined;
  return `expected ${expected}, received ${body.slice(0, 200)}`;
}
