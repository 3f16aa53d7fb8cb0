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
  if (!isKept || items.keepChanges === undefined) {
    await endLog(items);
    return undefined;
  }
  const { epoch, generation } = await beginGeneration(items);
  const log = await items.keepChanges({
    notedRows,
    clock,
    generation: String(generation).padStart(generationDigits, '0'),
  });
  return { ...log, epoch };
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

async function beginGeneration(items: ItemStore): Promise<Required<LogState>> {
  return await items.transact(changesSpace, [stateKey], ([row]) => {
    const before = row && (JSON.parse(row.toString()) as LogState);
    const state = {
      epoch: before?.epoch ?? randomId().slice(0, epochCharacters),
      generation: (before?.generation ?? 0) + 1,
    };
    return { puts: [stateRow(state)], result: state };
  });
}

function stateRow(state: LogState): Put {
  return { key: stateKey, value: Buffer.from(JSON.stringify(state)) };
}

async function endLog(items: ItemStore): Promise<void> {
  if ((await items.get(changesSpace, stateKey)) === undefined) return;
  await items.transact(changesSpace, [stateKey], ([row]) => {
    const { generation } = JSON.parse((row as Buffer).toString()) as LogState;
    return { puts: [stateRow({ generation })], result: undefined };
  });
}
