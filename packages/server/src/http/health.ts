import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { probeBlobs } from '../engines/shared/probe-blobs.js';
import { isRefusedForDamage } from '../engines/storage-errors.js';
import { keysSpace } from '../spaces.js';
import { errors, json } from './answer.js';
import type { Answer, RouteTable } from './call.js';

/** An answer takes at most this time, even if a store hangs. */
const answerWithinMs = 2000;
/** Load balancers ask often: an answer is reused for this time. */
const reuseMs = 1000;
const ready: Answer = json(200, { status: 'ready' });

interface Probe {
  readonly startedMs: number;
  /** Undefined while the probe is in progress. */
  answer: Answer | undefined;
  readonly done: Promise<Answer>;
}

/**
 * The routes of docs/http.md#health: `GET /health` shows that the process answers, `GET /ready` that both stores answer
 * too. Neither needs a key. At most one probe of the stores is in progress.
 */
export function healthRoutes(
  items: ItemStore,
  blobs: BlobStore,
  monotonicMs = () => performance.now(),
): RouteTable {
  let latest: Probe | undefined;

  function probe(): Probe {
    const startedMs = monotonicMs();
    const isOutdated = latest?.answer !== undefined && startedMs - latest.startedMs >= reuseMs;
    if (latest !== undefined && !isOutdated) return latest;
    const done = readBoth(items, blobs).then((answer) => {
      started.answer = answer;
      return answer;
    });
    const started: Probe = { startedMs, answer: undefined, done };
    latest = started;
    return started;
  }

  return {
    '/health': { GET: () => json(200, { status: 'ok' }) },
    '/ready': {
      GET: () => {
        const { startedMs, answer, done } = probe();
        return answer ?? withinTime(done, startedMs + answerWithinMs - monotonicMs());
      },
    },
  };
}

/** Requests that need the store log the cause of a failure; this reports only what failed. */
async function readBoth(items: ItemStore, blobs: BlobStore): Promise<Answer> {
  const found = await Promise.all([
    failureOf('The item store does not answer', async () => await items.get(keysSpace, 'ready')),
    failureOf('The blob store does not answer', () => probeBlobs(blobs)),
  ]);
  const failures = found.filter((failure) => failure !== undefined);
  return failures.length === 0 ? ready : unready(failures);
}

async function failureOf(failure: string, ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await ask();
    return undefined;
  } catch (cause) {
    return isRefusedForDamage(cause) ? 'The rows are damaged: see the log' : failure;
  }
}

async function withinTime(done: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(unready(['The stores do not answer in time'])), ms);
  });
  const answer = await Promise.race([done, late]);
  clearTimeout(timer);
  return answer;
}

function unready(messages: readonly string[]): Answer {
  return errors(503, messages, ['Retry-After', '1']);
}
