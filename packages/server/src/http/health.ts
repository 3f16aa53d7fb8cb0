import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { BlobMissing } from '../engines/storage-errors.js';
import { keysSpace } from '../spaces.js';
import { errors, json } from './answer.js';
import type { Answer, RouteTable } from './call.js';

/** An answer takes at most this time, even when a store hangs. */
const answerWithinMs = 2000;
/** Load balancers ask often: an answer is reused for this time. */
const reuseMs = 1000;
/** A valid id under which no blob is written. */
const noBlob = '0'.repeat(32);
const ready: Answer = json(200, { status: 'ready' });

interface Probe {
  readonly startedMs: number;
  /** Undefined while the probe is in progress. */
  answer: Answer | undefined;
  readonly done: Promise<Answer>;
}

/**
 * docs/http.md#health: `GET /health` says that the process answers, `GET /ready` that both stores do too. Neither takes a
 * key. At most one probe of the stores is in progress.
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

/** The cause of a failure is in the log of the requests that need the store; here only the fact is reported. */
async function readBoth(items: ItemStore, blobs: BlobStore): Promise<Answer> {
  const found = await Promise.all([
    answers(async () => await items.get(keysSpace, 'ready')),
    answers(() => readNothing(blobs)),
  ]);
  const away = ['The item store does not answer', 'The blob store does not answer'].filter(
    (_, index) => !found[index],
  );
  return away.length === 0 ? ready : unready(away);
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}

/** A store that says that it has no such blob does answer. */
async function readNothing(blobs: BlobStore): Promise<void> {
  try {
    for await (const _ of blobs.read(noBlob)) return;
  } catch (cause) {
    if (!(cause instanceof BlobMissing)) throw cause;
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
