import { firstItemKey } from '../base/indexes/entries.js';
import { driveSpaces } from '../drive/contents/row-contents.js';
import { nameKey } from '../drive/rows.js';
import type { ChangeLog, NotedRows } from '../engines/change-log.js';
import type { ItemStore, Put } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { randomId } from '../lib/random-id.js';
import { baseSpaces, changesSpace, changesSpaceOf } from '../spaces.js';

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

/**
 * Begins to note the changes of items and files. Call it before anything else writes them. With `isKept` false it ends
 * the log that there is, so that nobody who follows later takes it for whole. Gives undefined without a log.
 */
export async function openChangeLog(
  items: ItemStore,
  clock: Clock,
  isKept: boolean,
): Promise<StoredLog | undefined> {
  const generation = isKept ? await beginGeneration(items) : undefined;
  const log =
    generation === undefined ? undefined : await items.keepChanges?.({ notedRows, clock, generation });
  if (log === undefined) {
    await endChangeLog(items);
    return undefined;
  }
  return { ...log, epoch: await beginEpoch(items, await log.complete()) };
}

/** The items of a base and the names of a drive: not entries of indexes, contents, parts or garbage. */
function notedRows(space: string): NotedRows | undefined {
  if (space.startsWith(baseSpaces)) return { log: logOf(space, baseSpaces), isNoted: isItem };
  if (space.startsWith(driveSpaces)) return { log: logOf(space, driveSpaces), isNoted: isName };
  return undefined;
}

function logOf(space: string, beginning: string): string {
  return changesSpaceOf(space.slice(beginning.length, space.indexOf('/', beginning.length)));
}

const isItem = (key: string) => key >= firstItemKey;
const isName = (key: string) => key.startsWith(nameKey(''));

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
export async function endChangeLog(items: ItemStore): Promise<void> {
  if ((await items.get(changesSpace, stateKey)) === undefined) return;
  await changeState(items, ({ generation }) => ({ generation }));
}

async function changeState(items: ItemStore, change: (before: LogState) => LogState): Promise<LogState> {
  return await items.transact(changesSpace, [stateKey], ([row]) => {
    const before = row === undefined ? { generation: 0 } : (JSON.parse(row.toString()) as LogState);
    const state = change(before);
    return { puts: [stateRow(state)], result: state };
  });
}

function stateRow(state: LogState): Put {
  return { key: stateKey, value: Buffer.from(JSON.stringify(state)) };
}
