import { firstItemKey } from '../base/indexes/entries/entries.js';
import { anyFile, anyGarbage } from '../drive/contents/row-contents.js';
import { isCounterKey } from '../drive/counted-files.js';
import { contentKey } from '../drive/rows.js';
import type { ChangeLog, KeysSoFar, NotedRows } from '../engines/change-log.js';
import { headerKey, type ItemStore } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { baseSpaces, changesSpace, changesSpaceOf, driveSpaces } from '../spaces.js';
import {
  changeState,
  generationKey,
  isStateStored,
  type LogState,
  newEpoch,
  readState,
} from './log-state.js';
import { createOwnLog, withRun } from './own-log.js';
import type { Position } from './position.js';
import { createSharedLog, type OrderedLog } from './shared-log.js';

/** The log of changes of a store. */
export interface StoredLog extends ChangeLog {
  /**
   * As of the last call of `complete`. It changes whenever changes were not noted for a while, or may be lost: a position of
   * another one means nothing.
   */
  readonly epoch: string;
  /**
   * Whether everything before a position is there for sure that a reader was given, also in an epoch from which this one
   * goes on. `isStored`: the position was found in these rows, so what was before it is there if it is there itself. Call
   * `complete` first.
   */
  hasGiven(position: Pick<Position, 'epoch' | 'next'>, isStored?: boolean): Promise<boolean>;
}

/**
 * Begins to note the changes of items and files. Call it before anything else writes them. With `isKept` false it ends
 * the log that there is, so that nobody who follows later takes it for whole. Gives undefined without a log.
 */
export async function openStoredLog(
  items: ItemStore,
  clock: Clock,
  isKept: boolean,
): Promise<StoredLog | undefined> {
  const generation = isKept ? await beginGeneration(items) : undefined;
  const log =
    generation === undefined ? undefined : await items.keepChanges?.({ notedRows, clock, generation });
  if (log === undefined) {
    await endStoredLog(items);
    return undefined;
  }
  const state = await beginEpoch(items, log);
  if (isOrdered(log)) return createSharedLog(items, log, state);
  return createOwnLog(items, log, state);
}

function isOrdered(log: ChangeLog): log is OrderedLog {
  return log.order !== undefined && log.soFar !== undefined;
}

function notedRows(space: string): NotedRows | undefined {
  if (space.startsWith(baseSpaces)) return { log: logOf(space, baseSpaces), isNoted: isNotedOfBase };
  if (space.startsWith(driveSpaces)) return { log: logOf(space, driveSpaces), isNoted: isNotedOfDrive };
  return undefined;
}

function logOf(space: string, beginning: string): string {
  return changesSpaceOf(space.slice(beginning.length, space.indexOf('/', beginning.length)));
}

async function beginGeneration(items: ItemStore): Promise<string> {
  const next = (before: LogState) => ({ ...before, generation: before.generation + 1 });
  return generationKey((await changeState(items, next)).generation);
}

/**
 * Goes on with the epoch, or begins one: where there is none, and where the order of the log is another one, since its
 * rows were moved to another database, or a standby took over of which no server that runs knows.
 */
async function beginEpoch(items: ItemStore, log: ChangeLog): Promise<LogState> {
  for (;;) {
    const found = await readState(items);
    // Asked after that: what another server has stored meanwhile may be later, and says nothing of the order.
    const complete = await log.complete();
    const order = log.order?.().name;
    const goesOn =
      found.epoch !== undefined &&
      (found.complete ?? '') <= complete &&
      (found.order === undefined || found.order === order);
    if (isOrdered(log) && !goesOn) await dropLater(items, log, complete);
    let isOurs = false;
    const state = await changeState(items, (before) => {
      isOurs = before.epoch === found.epoch && before.complete === found.complete;
      if (!isOurs) return before;
      const begun = goesOn ? { ...before, complete, order } : newEpoch(before, { complete, order });
      return isOrdered(log) ? begun : withRun(begun);
    });
    if (isOurs) return state;
  }
}

/** Ends the log that there is: whoever follows it begins again. Call it before something is written without notes. */
export async function endStoredLog(items: ItemStore): Promise<void> {
  if (!(await isStateStored(items))) return;
  await changeState(items, ({ generation }) => ({ generation }));
}

const rowsAtOnce = 500;

/**
 * Drops the rows of logs from a key on that no commit has written here: they were restored, and the keys that are given
 * now would meet them. So does what says that changes were dropped.
 */
async function dropLater(
  items: Pick<ItemStore, 'spaces' | 'scan' | 'transact'>,
  log: { soFar(): Promise<KeysSoFar> },
  from: string,
): Promise<void> {
  for await (const space of items.spaces(`${changesSpace}/`)) {
    for (let gte = from; ; ) {
      const keys: string[] = [];
      for await (const rows of items.scan(space, { gte, limit: rowsAtOnce }))
        keys.push(...rows.map(({ key }) => key));
      if (keys.length === 0) break;
      // Asked after the rows were read: what another server has written by then is before it.
      const { unused } = await log.soFar();
      const deletes = keys.filter((key) => key >= unused);
      if (deletes.length > 0)
        await items.transact(space, [], () => ({ deletes, makesRoom: true, result: undefined }));
      const last = keys.at(-1);
      if (last === undefined || keys.length < rowsAtOnce) break;
      gte = last;
    }
  }
}

/**
 * Which rows the log notes. Readers of the feed are told of items and files; a standby (`store/standby/`) follows every
 * row that it cannot find by another one, or make itself: the declarations of a base, and of a drive all rows but
 * contents, garbage and counters.
 */
function isNotedOfBase(key: string): boolean {
  return key >= firstItemKey || key === headerKey;
}

function isNotedOfDrive(key: string): boolean {
  return (
    key.startsWith(anyFile) ||
    !(key.startsWith(anyContent) || key.startsWith(anyGarbage) || isCounterKey(key))
  );
}

/** Whether readers of the feed are told of a row that is noted. */
export function isTold(space: string, key: string): boolean {
  return space.startsWith(driveSpaces) ? key.startsWith(anyFile) : key >= firstItemKey;
}

const anyContent = contentKey('');
