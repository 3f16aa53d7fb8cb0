import { createIndexedStore, type IndexedStore } from '../../base/indexes/writing/indexed-store.js';
import { baseSpaces } from '../../spaces.js';
import type { ClaimedDestination, StandbyPosition } from '../copy/copy-marker.js';
import { type CopyRun, type CopySides, createCopyRun } from '../copy/copy-run.js';
import { copyAll } from '../copy/copy-store.js';
import { createMeter } from '../copy/progress.js';
import type { CopyReport } from '../copy/report.js';
import { compareSettings } from './compare-settings.js';
import { followStep } from './follow-step.js';
import { LogTooShort } from './noted-since.js';
import type { FollowProgress, StandbyProgress } from './progress.js';
import type { SourceLog } from './source-log.js';

export interface StandbyOptions extends CopySides {
  readonly log: SourceLog;
  readonly listen: (progress: StandbyProgress) => void;
}

/** How often the standby notes how far it is while nothing changes. */
const noteEveryMs = 5000;
const settingsEveryMs = 2000;
/** Comparing settings takes at most this part of the time. */
const settingsShare = 0.05;
/** The last ones are told. */
const maxProblems = 20;

/** A standby between two steps. */
interface Standby {
  readonly options: StandbyOptions;
  readonly claimed: ClaimedDestination;
  readonly indexed: IndexedStore;
  /** As in `Step`. */
  readonly compared: Set<string>;
  readonly done: { rows: number; blobs: number; bytes: number; readonly problems: string[] };
  position: StandbyPosition | undefined;
  totalBytes: number | undefined;
  wasAllCompared: boolean;
  /** Until it has caught up once, a process that was killed may have left part of a blob. */
  isDoubtful: boolean;
  isEven: boolean;
  /** Why the last step failed, until something is stored again. */
  problem: string | undefined;
  /** Of a clock that nobody sets, as what follows. */
  notedMs: number;
  settingsDueMs: number;
}

export function createStandby(options: StandbyOptions, claimed: ClaimedDestination) {
  const standby: Standby = {
    options,
    claimed,
    indexed: createIndexedStore(options.destination.items, () => false),
    compared: new Set(),
    done: { rows: 0, blobs: 0, bytes: 0, problems: [] },
    position: claimed.standby,
    totalBytes: claimed.totalBytes,
    wasAllCompared: false,
    isDoubtful: true,
    isEven: false,
    problem: undefined,
    notedMs: 0,
    settingsDueMs: 0,
  };
  return {
    /** Applies what there is. Gives whether there was nothing more in the end. */
    step: () => step(standby),
    /** Tells from now on that it waits, and why. */
    waits(problem: string): void {
      standby.problem = problem;
    },
    progress: () => progressOf(standby),
  };
}

async function step(standby: Standby): Promise<boolean> {
  const { log, listen } = standby.options;
  standby.isEven = false;
  const { position } = standby;
  let from = position;
  if (from === undefined || from.isChanged || !(await log.hasGiven(from))) {
    if (position !== undefined) listen({ ...progressOf(standby), phase: 'behind' });
    from = await compareAll(standby);
  } else from = { ...from, epoch: await log.epoch() };
  let isEven: boolean;
  try {
    isEven = await follow(standby, from);
  } catch (cause) {
    if (!(cause instanceof LogTooShort)) throw cause;
    listen({ ...progressOf(standby), phase: 'behind' });
    await compareAll(standby);
    return false;
  }
  await compareSettingsWhenDue(standby);
  standby.isEven = isEven;
  standby.problem = undefined;
  listen(progressOf(standby));
  return isEven;
}

/** Applies what was noted since a position. Gives whether there is nothing more. Throws `LogTooShort`. */
async function follow(standby: Standby, from: StandbyPosition): Promise<boolean> {
  const { indexed, compared } = standby;
  const { log } = standby.options;
  const run = beginRun(standby);
  const next = await followStep({ run, log, indexed, tear: () => tear(standby), compared }, from);
  count(standby, run.report);
  const hasMoved = run.report.rowsPut + run.report.rowsDeleted > 0 || next.isTorn !== from.isTorn;
  const isEven = !next.isTorn && (await log.complete()) === next.next;
  if (hasMoved || standby.position?.isTorn || performance.now() - standby.notedMs > noteEveryMs)
    await note(standby, next);
  else standby.position = next;
  if (isEven) standby.isDoubtful = false;
  return isEven;
}

/** Compares everything, and gives the position from which to follow. */
async function compareAll(standby: Standby): Promise<StandbyPosition> {
  const { options, claimed } = standby;
  const asOfMs = Date.now();
  const [epoch, next] = [await options.log.epoch(), await options.log.complete()];
  await tear(standby);
  const isAgain = standby.wasAllCompared || claimed.standby !== undefined;
  const ofRun = isAgain ? { ...claimed, isFresh: false, isIncomplete: true } : claimed;
  const { report, totalBytes } = await copyAll({ ...options, verify: false }, ofRun);
  standby.wasAllCompared = true;
  standby.totalBytes = totalBytes;
  count(standby, report);
  for await (const space of options.source.items.spaces(baseSpaces, { ahead: 100 }))
    standby.compared.add(space);
  const position = { epoch, next, asOfMs, isTorn: true };
  await note(standby, position);
  return position;
}

async function compareSettingsWhenDue(standby: Standby): Promise<void> {
  const beganMs = performance.now();
  if (beganMs < standby.settingsDueMs) return;
  const run = beginRun(standby);
  await compareSettings(run);
  count(standby, run.report);
  const endedMs = performance.now();
  standby.settingsDueMs = endedMs + Math.max(settingsEveryMs, (endedMs - beganMs) / settingsShare);
}

function beginRun(standby: Standby): CopyRun {
  const { options, claimed, isDoubtful } = standby;
  const run = createCopyRun(options, {
    claimed,
    blobsThere: isDoubtful ? 'doubtful' : 'whole',
    meter: createMeter(() => {
      if (run.report.blobsCopied > 0) standby.problem = undefined;
      options.listen(progressOf(standby));
    }),
    // A server that is started on shared rows of the destination is not written to after its start.
    heldForMs: 0,
  });
  return run;
}

async function note(standby: Standby, next: StandbyPosition): Promise<void> {
  await standby.claimed.follow(standby.totalBytes, next);
  standby.position = next;
  standby.notedMs = performance.now();
}

async function tear(standby: Standby): Promise<void> {
  const { position } = standby;
  if (position !== undefined && !position.isTorn) await note(standby, { ...position, isTorn: true });
}

/** What a run has done is counted once. */
function count({ done }: Standby, report: CopyReport): void {
  done.rows += report.rowsPut + report.rowsDeleted;
  done.blobs += report.blobsCopied;
  done.bytes += report.bytesCopied;
  done.problems.push(...report.problems.map(({ where, key, problem }) => `${where} ${key}: ${problem}`));
  done.problems.splice(0, done.problems.length - maxProblems);
}

function progressOf({ isEven, position, problem, done }: Standby): FollowProgress {
  return {
    phase: problem === undefined ? 'following' : 'waiting',
    problem,
    lagSeconds: isEven || position === undefined ? 0 : Math.max(0, Date.now() - position.asOfMs) / 1000,
    asOfMs: position?.asOfMs ?? 0,
    ...done,
  };
}
