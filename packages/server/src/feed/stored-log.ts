import type { ChangeLog, NotedRows } from '../engines/change-log.js';
import type { ItemStore, Put } from '../engines/item-store.js';
import { StorageUnavailable } from '../engines/storage-errors.js';
import type { Clock } from '../lib/clock.js';
import { randomId } from '../lib/random-id.js';
import { baseSpaces, changesSpace, changesSpaceOf, driveSpaces } from '../spaces.js';
import { isNotedOfBase, isNotedOfDrive } from './noted-rows.js';

/** The log of changes of a store. */
export interface StoredLog extends ChangeLog {
  /** Changes whenever changes were not noted for a while: a position of another one means nothing. */
  readonly epoch: string;
}

/** What the space of the log knows of itself. */
interface LogState {
  /** Undefined while changes are not noted. */
  readonly epoch?: string | undefined;
  /** What was complete at the last start. */
  readonly complete?: string;
  /** How often a server has begun to note changes. */
  readonly generation: number;
}

const stateKey = 'state';
const epochCharacters = 12;
const generationDigits = 8;
const retryMs = 250;

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
  return { ...log, epoch: await beginEpoch(items, await log.complete()) };
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
  const generation = await changeState(items, (before) => ({
    ...before,
    generation: before.generation + 1,
  }));
  return String(generation.generation).padStart(generationDigits, '0');
}

/**
 * Goes on with the epoch, or begins one: where there is none, and where the order of the log has begun anew, since its
 * rows were moved to another database.
 */
async function beginEpoch(items: ItemStore, complete: string): Promise<string> {
  const { epoch } = await changeState(items, (before) => {
    const goesOn = before.epoch !== undefined && (before.complete ?? '') <= complete;
    return { ...before, complete, epoch: goesOn ? before.epoch : randomId().slice(0, epochCharacters) };
  });
  return epoch ?? '';
}

/** Ends the log that there is: whoever follows it begins again. Call it before something is written without notes. */
export async function endStoredLog(items: ItemStore): Promise<void> {
  if ((await items.get(changesSpace, stateKey)) === undefined) return;
  await changeState(items, ({ generation }) => ({ generation }));
}

/** The epoch of the log that is kept; undefined if none is. */
export async function readEpoch(items: ItemStore): Promise<string | undefined> {
  return readState(await items.get(changesSpace, stateKey)).epoch;
}

/** States that wait for room on a full disk, on which a server must start, too. */
const waiting = new WeakMap<ItemStore, { state: LogState }>();

async function changeState(items: ItemStore, change: (before: LogState) => LogState): Promise<LogState> {
  const present = waiting.get(items);
  if (present !== undefined) {
    present.state = change(present.state);
    return present.state;
  }
  try {
    return await items.transact(changesSpace, [stateKey], ([row]) => {
      const state = change(readState(row));
      return { puts: [stateRow(state)], makesRoom: true, result: state };
    });
  } catch (cause) {
    if (items.isShared || !(cause instanceof StorageUnavailable)) throw cause;
    const held = { state: change(readState(await items.get(changesSpace, stateKey))) };
    waiting.set(items, held);
    storeSoon(items, held);
    return held.state;
  }
}

/** Nothing else is written until there is room, either. */
function storeSoon(items: ItemStore, held: { state: LogState }): void {
  const store = async () => {
    const { state } = held;
    await items.transact(changesSpace, [], () => ({
      puts: [stateRow(state)],
      makesRoom: true,
      result: undefined,
    }));
    if (held.state === state) waiting.delete(items);
    else storeSoon(items, held);
  };
  setTimeout(() => void store().catch(() => storeSoon(items, held)), retryMs).unref();
}

function readState(row: Buffer | undefined): LogState {
  return row === undefined ? { generation: 0 } : (JSON.parse(row.toString()) as LogState);
}

function stateRow(state: LogState): Put {
  return { key: stateKey, value: Buffer.from(JSON.stringify(state)) };
}
