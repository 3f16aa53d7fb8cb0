import type { ItemStore, Put } from '../engines/item-store.js';
import { StorageUnavailable } from '../engines/storage-errors.js';
import { randomId } from '../lib/random-id.js';
import { changesSpace } from '../spaces.js';

/** What the space of the log knows of itself. */
export interface LogState {
  /** Undefined while changes are not noted. */
  readonly epoch?: string | undefined;
  /** What was complete at the last start. */
  readonly complete?: string;
  /** The name of the order of the keys. Absent where there is but one, and in what older versions stored. */
  readonly order?: string | undefined;
  /** The epochs from which this one goes on, the last one at the end. */
  readonly former?: readonly FormerEpoch[] | undefined;
  /** How often a server has begun to note changes. */
  readonly generation: number;
  /** The last starts of this epoch, where one process has the rows alone. */
  readonly runs?: readonly Run[] | undefined;
}

/** The time from one start to the next. */
export interface Run {
  /** A random name: a store that was restored has none of the runs after its backup. */
  readonly name: string;
  readonly generation: number;
}

/** An epoch that ended when a standby of the database took over. */
export interface FormerEpoch {
  readonly epoch: string;
  /** Everything before this key is there, as a server knows that had given it. What was before later ones may be lost. */
  readonly until: string;
}

const stateKey = 'state';
const epochCharacters = 12;
const generationDigits = 8;
const retryMs = 250;

/** What the keys of a generation begin with, where the engine has no order of its own. */
export function generationKey(generation: number): string {
  return String(generation).padStart(generationDigits, '0');
}

/** The state as it is stored. */
export async function readState(items: Pick<ItemStore, 'get'>): Promise<LogState> {
  return parseState(await items.get(changesSpace, stateKey));
}

/** A state whose log begins at this key. Of what was before, `from` has all that it keeps. */
export function newEpoch(
  { generation }: LogState,
  from: Pick<LogState, 'complete' | 'order' | 'former'>,
): LogState {
  return { ...from, generation, epoch: randomId().slice(0, epochCharacters) };
}

/** Whether there was a log at any time. */
export async function isStateStored(items: Pick<ItemStore, 'get'>): Promise<boolean> {
  return (await items.get(changesSpace, stateKey)) !== undefined;
}

/** States that wait for room on a full disk, on which a server must start, too. */
const waiting = new WeakMap<ItemStore, { state: LogState }>();

/** Changes the state in one step, as soon as there is room for it. */
export async function changeState(
  items: ItemStore,
  change: (before: LogState) => LogState,
): Promise<LogState> {
  const present = waiting.get(items);
  if (present !== undefined) {
    present.state = change(present.state);
    return present.state;
  }
  try {
    return await items.transact(changesSpace, [stateKey], ([row]) => {
      const state = change(parseState(row));
      return { puts: [stateRow(state)], makesRoom: true, result: state };
    });
  } catch (cause) {
    if (items.isShared || !(cause instanceof StorageUnavailable)) throw cause;
    const held = { state: change(await readState(items)) };
    waiting.set(items, held);
    storeSoon(items, held);
    return held.state;
  }
}

/** Nothing else is written until there is room, either. */
function storeSoon(items: ItemStore, held: { state: LogState }): void {
  const store = async () => {
    const { state } = held;
    const change = { puts: [stateRow(state)], makesRoom: true, result: undefined };
    await items.transact(changesSpace, [], () => change);
    if (held.state === state) waiting.delete(items);
    else storeSoon(items, held);
  };
  setTimeout(() => void store().catch(() => storeSoon(items, held)), retryMs).unref();
}

function parseState(row: Buffer | undefined): LogState {
  return row === undefined ? { generation: 0 } : (JSON.parse(row.toString()) as LogState);
}

function stateRow(state: LogState): Put {
  return { key: stateKey, value: Buffer.from(JSON.stringify(state)) };
}
