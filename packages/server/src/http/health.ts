import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { BlobMissing } from '../engines/storage-errors.js';
import { keysSpace } from '../spaces.js';
import { errors, json } from './answer.js';
import type { Answer, RouteTable } from './call.js';

/** However long an engine hangs, whoever asks has an answer by then. */
const answerWithinMs = 2000;
/** A load balancer asks often, and every server has one: an answer holds for so long. */
const holdsForMs = 1000;
/** An id of the right form that nothing is written under. */
const noBlob = '0'.repeat(32);
const ready: Answer = json(200, { status: 'ready' });

interface Probe {
  readonly startedMs: number;
  /** Undefined while it is under way. */
  answer: Answer | undefined;
  readonly done: Promise<Answer>;
}

/**
 * `GET /health`: the process answers. `GET /ready`: both engines do too. Neither takes a key. At most one look at
 * the engines is under way at a time.
 */
export function healthRoutes(
  items: ItemStore,
  blobs: BlobStore,
  monotonicMs = () => performance.now(),
): RouteTable {
  let latest: Probe | undefined;

  function probe(): Probe {
    const startedMs = monotonicMs();
    const isOver = latest?.answer !== undefined && startedMs - latest.startedMs >= holdsForMs;
    if (latest !== undefined && !isOver) return latest;
    const done = look(items, blobs).then((answer) => {
      begun.answer = answer;
      return answer;
    });
    const begun: Probe = { startedMs, answer: undefined, done };
    latest = begun;
    return begun;
  }

  return {
    '/health': { GET: () => json(200, { status: 'ok' }) },
    '/ready': {
      GET: () => {
        const { startedMs, answer, done } = probe();
        return answer ?? inTime(done, startedMs + answerWithinMs - monotonicMs());
      },
    },
  };
}

/** Why is in the log of the requests that need the engine; whoever asks here wants to know only if. */
async function look(items: ItemStore, blobs: BlobStore): Promise<Answer> {
  const answers = await Promise.all([
    isThere(async () => await items.get(keysSpace, 'ready')),
    isThere(() => readNothing(blobs)),
  ]);
  const away = ['The row engine does not answer', 'The byte engine does not answer'].filter(
    (_, index) => !answers[index],
  );
  return away.length === 0 ? ready : unready(away);
}

async function isThere(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}

/** A store that says that it has no such blob is there. */
async function readNothing(blobs: BlobStore): Promise<void> {
  try {
    for await (const _ of blobs.read(noBlob)) return;
  } catch (cause) {
    if (!(cause instanceof BlobMissing)) throw cause;
  }
}

async function inTime(done: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(unready(['The engines do not answer in time'])), ms);
  });
  const answer = await Promise.race([done, late]);
  clearTimeout(timer);
  return answer;
}

function unready(messages: readonly string[]): Answer {
  return errors(503, messages, ['Retry-After', '1']);
}
