import type { BlobStore } from '../../engines/blob-store.js';
import type { ItemStore } from '../../engines/item-store.js';
import { probeBlobs } from '../../engines/shared/probe-blobs.js';
import { isRefusedForDamage, StorageUnavailable } from '../../engines/storage-errors.js';
import type { Log } from '../../lib/log.js';
import type { Problem } from '../../request-error.js';
import { keysSpace } from '../../spaces.js';
import { errors, json } from '../answers/answer.js';
import type { Failure } from '../requests/call.js';

/** An answer takes at most this time, even if a store hangs. */
const answerWithinMs = 2000;
/** Load balancers ask often: an answer is reused for this time. */
const reuseMs = 1000;
const ready = json(200, { status: 'ready' as const });

interface Probe {
  readonly startedMs: number;
  /** Undefined while the probe is in progress. */
  answer: Probed | undefined;
  readonly done: Promise<Probed>;
}

export interface ReadinessOptions {
  /** Gets a line when a server that was ready is no more, and when it is again. */
  readonly log?: Pick<Log, 'error' | 'info'> | undefined;
  readonly monotonicMs?: () => number;
}

type Probed = typeof ready | Failure;

/** The answer of docs/http.md#health to `GET /ready`. At most one probe of the stores is in progress. */
export type Readiness = () => Probed | Promise<Probed>;

export function createReadiness(
  items: ItemStore,
  blobs: BlobStore,
  { log, monotonicMs = () => performance.now() }: ReadinessOptions = {},
): Readiness {
  let latest: Probe | undefined;
  let wasReady = true;

  function probe(): Probe {
    const startedMs = monotonicMs();
    const isOutdated = latest?.answer !== undefined && startedMs - latest.startedMs >= reuseMs;
    if (latest !== undefined && !isOutdated) return latest;
    const done = findTroubles(items, blobs).then((troubles) => {
      note(troubles);
      started.answer = troubles.length === 0 ? ready : unready(troubles.map(({ message }) => message));
      return started.answer;
    });
    const started: Probe = { startedMs, answer: undefined, done };
    latest = started;
    return started;
  }

  function note(troubles: readonly Trouble[]): void {
    const isReady = troubles.length === 0;
    if (isReady && !wasReady) log?.info({}, 'ready again');
    if (wasReady)
      for (const { message, cause } of troubles) log?.error({ err: cause }, `not ready: ${message}`);
    wasReady = isReady;
  }

  return () => {
    const { startedMs, answer, done } = probe();
    return answer ?? withinTime(done, startedMs + answerWithinMs - monotonicMs());
  };
}

interface Trouble {
  readonly message: string;
  readonly cause: unknown;
}

async function findTroubles(items: ItemStore, blobs: BlobStore): Promise<readonly Trouble[]> {
  const found = await Promise.all([rowsFailure(items), blobsFailure(blobs)]);
  return found.filter((failure) => failure !== undefined);
}

async function rowsFailure(items: ItemStore): Promise<Trouble | undefined> {
  const unread = await failureOf(async () => await items.get(keysSpace, 'ready'), rowsAway);
  return unread ?? (await failureOf(async () => await items.ready?.(), rowsUnwritable));
}

async function blobsFailure(blobs: BlobStore): Promise<Trouble | undefined> {
  if (blobs.ready === undefined) return await failureOf(() => probeBlobs(blobs), blobsAway);
  // It reads, so nothing else need be read.
  return await failureOf(blobs.ready, blobsAway);
}

function blobsAway(cause: unknown): string {
  const reason = cause instanceof StorageUnavailable ? cause.reason : undefined;
  return reason === undefined ? 'The blob store does not answer' : `Files cannot be stored: ${reason}`;
}

function rowsAway(cause: unknown): string {
  return isRefusedForDamage(cause) ? 'The rows are damaged: see the log' : 'The item store does not answer';
}

function rowsUnwritable(cause: unknown): string {
  const reason = cause instanceof StorageUnavailable ? cause.reason : undefined;
  return `The rows cannot be written: ${reason ?? 'see the log'}`;
}

/** `messageOf` gives what every client may know of the failure. */
async function failureOf(
  ask: () => Promise<unknown>,
  messageOf: (cause: unknown) => string,
): Promise<Trouble | undefined> {
  try {
    await ask();
    return undefined;
  } catch (cause) {
    return { message: messageOf(cause), cause };
  }
}

async function withinTime(done: Promise<Probed>, ms: number): Promise<Probed> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Probed>((resolve) => {
    timer = setTimeout(() => resolve(unready(['The stores do not answer in time'])), ms);
  });
  const answer = await Promise.race([done, late]);
  clearTimeout(timer);
  return answer;
}

function unready(messages: readonly string[]): Failure {
  const problems = messages.map((message): Problem => ({ code: 'not_ready', message }));
  return errors(problems, ['Retry-After', '1']);
}
