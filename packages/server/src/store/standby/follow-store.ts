import { setTimeout as wait } from 'node:timers/promises';
import { createIndexedStore } from '../../base/indexes/indexed-store.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import { baseSpaces } from '../../spaces.js';
import { type Claim, claim, type StandbyPosition } from '../copy/claim.js';
import { type CopySides, createCopyRun } from '../copy/copy-run.js';
import { copyAll, refuseSameBlobs } from '../copy/copy-store.js';
import { createMeter } from '../copy/progress.js';
import type { CopyReport } from '../copy/report.js';
import { refuseRunningServer } from '../copy/running-server.js';
import { followStep } from './follow-step.js';
import { LogTooShort } from './noted.js';
import type { FollowProgress, StandbyProgress } from './progress.js';
import { compareSettings } from './settings.js';
import type { SourceLog } from './source-log.js';

export interface FollowOptions extends CopySides {
  /** Makes the destination equal to the source even if it holds something else. */
  readonly overwrite: boolean;
  readonly log: SourceLog;
  readonly listen: (progress: StandbyProgress) => void;
  /** Ends the following. What was applied stays, and the next run goes on from there. */
  readonly signal: AbortSignal;
}

/** Changes of this time are applied together. */
const restMs = 100;
/** How often a log is asked that does not say when there is more, and progress is told. */
const askEveryMs = 500;
/** How often the standby notes how far it is while nothing changes. */
const noteEveryMs = 5000;
const settingsEveryMs = 2000;
/** Comparing settings takes at most this part of the time. */
const settingsShare = 0.05;
const retryMs = 1000;

/**
 * Makes the destination equal to the source, as `copyStore` does, and keeps it so until it is ended: a standby. How far
 * it has come is stored there once it is applied, and applying something again does no harm: so it can be killed at any
 * moment, and goes on. When the source no longer has what comes next, all is compared again. While a place cannot
 * be reached, it waits. Rejects with `OperatorError` as `copyStore` does.
 */
export async function followStore(options: FollowOptions): Promise<void> {
  const { source, destination, log, listen, signal } = options;
  await log.epoch();
  await refuseSameBlobs(source, destination);
  await refuseRunningServer(destination.items);
  const claimed = await claim(source, destination, { overwrite: options.overwrite, follows: true });
  const standby = createStandby(options, claimed);
  const news = listenTo(log, signal);
  try {
    while (!signal.aborted) {
      try {
        if (await standby.step()) await news.wait();
        else await rest(signal);
      } catch (cause) {
        if (signal.aborted) return;
        if (!(cause instanceof StorageUnavailable)) throw cause;
        listen({ ...standby.progress(), phase: 'waiting', problem: cause.message });
        await rest(signal, retryMs);
      }
    }
  } finally {
    news.stop();
  }
}

/** Ends early with the signal. */
async function rest(signal: AbortSignal, ms = restMs): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}

function createStandby(options: FollowOptions, claimed: Claim) {
  const { source, destination, log, listen } = options;
  const indexed = createIndexedStore(destination.items, () => false);
  const compared = new Set<string>();
  const done = { rows: 0, blobs: 0, bytes: 0, problems: [] as string[] };
  let { standby: position, totalBytes } = claimed;
  let wasAllCompared = false;
  /** Until it has caught up once, a process that was killed may have left part of a blob. */
  let isDoubtful = true;
  let isEven = false;
  /** Of a clock that nobody sets, as what follows. */
  let notedMs = 0;
  let settingsDueMs = 0;

  const progress = (): FollowProgress => ({
    phase: 'following',
    lagSeconds: isEven || position === undefined ? 0 : Math.max(0, Date.now() - position.asOfMs) / 1000,
    asOfMs: position?.asOfMs ?? 0,
    ...done,
  });

  async function note(next: StandbyPosition): Promise<void> {
    await claimed.stillHeld();
    await claimed.follow(totalBytes, next);
    position = next;
    notedMs = performance.now();
  }

  async function tear(): Promise<void> {
    if (position !== undefined && !position.isTorn) await note({ ...position, isTorn: true });
  }

  const beginRun = () =>
    createCopyRun(options, {
      claimed,
      present: isDoubtful ? 'doubtful' : 'whole',
      meter: createMeter(() => listen(progress())),
      // A server that is started on shared rows of the destination is not written to after its start.
      heldForMs: 0,
    });

  /** What a run has done is counted once. */
  function count({ report }: { readonly report: CopyReport }): void {
    done.rows += report.rowsPut + report.rowsDeleted;
    done.blobs += report.blobsCopied;
    done.bytes += report.bytesCopied;
    done.problems.push(...report.problems.map(({ where, key, problem }) => `${where} ${key}: ${problem}`));
    done.problems.splice(0, done.problems.length - maxProblems);
  }

  async function compareAll(): Promise<StandbyPosition> {
    const asOfMs = Date.now();
    const [epoch, next] = [await log.epoch(), await log.complete()];
    await tear();
    const isAgain = wasAllCompared || claimed.standby !== undefined;
    const ofRun = isAgain ? { ...claimed, isFresh: false, isIncomplete: true } : claimed;
    const { report, totalBytes: bytes } = await copyAll({ ...options, verify: false }, ofRun);
    wasAllCompared = true;
    totalBytes = bytes;
    count({ report });
    for await (const space of source.items.spaces(baseSpaces, { ahead: 100 })) compared.add(space);
    return { epoch, next, asOfMs, isTorn: true };
  }

  async function settings(): Promise<void> {
    const beganMs = performance.now();
    if (beganMs < settingsDueMs) return;
    const run = beginRun();
    await compareSettings(run);
    count(run);
    const endedMs = performance.now();
    settingsDueMs = endedMs + Math.max(settingsEveryMs, (endedMs - beganMs) / settingsShare);
  }

  /** Applies what there is. Gives whether there was nothing more in the end. */
  async function step(): Promise<boolean> {
    isEven = false;
    if (position === undefined || position.epoch !== (await log.epoch())) {
      if (position !== undefined) listen({ ...progress(), phase: 'behind' });
      await note(await compareAll());
    }
    const from = position as StandbyPosition;
    const run = beginRun();
    let isNow = false;
    try {
      const next = await followStep({ run, log, indexed, tear, compared }, from);
      count(run);
      const hasMoved = run.report.rowsPut + run.report.rowsDeleted > 0 || next.isTorn !== from.isTorn;
      isNow = !next.isTorn && (await log.complete()) === next.next;
      if (hasMoved || (position as StandbyPosition).isTorn || performance.now() - notedMs > noteEveryMs)
        await note(next);
      else position = next;
      if (isNow) isDoubtful = false;
    } catch (cause) {
      if (!(cause instanceof LogTooShort)) throw cause;
      listen({ ...progress(), phase: 'behind' });
      await note(await compareAll());
      return false;
    }
    await settings();
    isEven = isNow;
    listen(progress());
    return isEven;
  }

  return { step, progress };
}

const maxProblems = 20;

/** Tells when there may be more: soon after a commit where the log says so. */
function listenTo(log: SourceLog, signal: AbortSignal) {
  let wake = () => {};
  let isNew = false;
  const stop = log.onCommit?.(() => {
    isNew = true;
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    /** Waits for more, and then a moment, so that what comes together is applied together. */
    async wait(): Promise<void> {
      if (!isNew && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, askEveryMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isNew = false;
      await rest(signal);
    },
    stop: () => stop?.(),
  };
}
