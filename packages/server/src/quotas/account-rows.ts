import type { Row, SecondSpace } from '../engines/item-store.js';
import { accountSpaceOf } from '../spaces.js';
import { kinds, nothingStored, type Stored, sumOf } from './ledger.js';

/**
 * What a project with a quota stores, in rows that servers share: the account of the project.
 *
 *   head   says whether the account is whole. Without it, nobody has measured the project
 *   slot…  what has been added: the sum of the slots is what the project stores
 *
 * Each transaction locks one slot until it has committed, and adds to it what it stores: a single row would make all writers
 * of a project wait for each other. Stored: never rename.
 */
export interface AccountHead {
  /**
   * `announced`: not every server knows yet of the quota, so nothing is counted. `measuring`: somebody adds up what there is,
   * and nobody writes. `open`: the slots are whole.
   */
  readonly state: 'announced' | 'measuring' | 'open';
  /** Another one each time that the state changes. */
  readonly token: string;
  /** That of the quota of all projects, if the account was measured under it; absent under a quota of the project. */
  readonly era?: string | undefined;
  /** Whether the markers of folders are counted, which earlier versions left out: then it is not whole. */
  readonly hasMarkers?: true;
}

/** Whether it is open under the quota of this era, and everything is counted that this version counts. */
export function isOpenIn(era: string | undefined, head: AccountHead | undefined): boolean {
  return head?.state === 'open' && head.era === era && head.hasMarkers === true;
}

export const slotCount = 16;
/** Their order is that in which they are locked. */
export const slotKeys: readonly string[] = Array.from(
  { length: slotCount },
  (_, slot) => `slot${String(slot).padStart(2, '0')}`,
);
export const accountHeadKey = 'head';

/** The slots that a transaction locks: one, or all of them. */
export type SlotLocks = 'one' | 'all';

/** The rows that a transaction reads besides its own. */
export function accountRows(project: string, own: string, locks: SlotLocks): SecondSpace {
  return {
    space: accountSpaceOf(project),
    locked: locks === 'all' ? slotKeys : [own],
    read: [accountHeadKey, ...slotKeys],
  };
}

/** An account as a transaction has read it. */
export interface AccountState {
  readonly head: AccountHead | undefined;
  /** The sum of what was committed when the slot was locked, without what is in `pending`. */
  readonly committed: Stored;
  /** What transactions that commit together with this one add. */
  readonly pending: Stored;
  /** What is in the slot of this transaction. */
  readonly own: Stored;
}

/** `values`: what was read of `accountRows`. */
export function readAccount(
  own: string,
  locks: SlotLocks,
  values: readonly (Buffer | undefined)[],
): AccountState {
  const locked = locks === 'all' ? slotKeys : [own];
  const [head, ...slots] = values.slice(locked.length);
  const isWhole = slots.every((slot) => slot !== undefined);
  const at = slotKeys.indexOf(own);
  const inSlot = readSlot(values[locked.indexOf(own)]);
  return {
    head: isWhole ? readHead(head) : undefined,
    committed: slots.map(readSlot).reduce((sum, slot) => sumOf(sum, slot), nothingStored),
    pending: sumOf(inSlot, readSlot(slots[at]), -1),
    own: inSlot,
  };
}

export function readHead(row: Buffer | undefined): AccountHead | undefined {
  return row === undefined ? undefined : (JSON.parse(row.toString()) as AccountHead);
}

export function headRow(head: AccountHead): Row {
  return { key: accountHeadKey, value: Buffer.from(JSON.stringify(head)) };
}

export function slotRow(key: string, stored: Stored): Row {
  return { key, value: Buffer.from(JSON.stringify(kinds.map((kind) => stored[kind]))) };
}

export function readSlot(row: Buffer | undefined): Stored {
  if (row === undefined) return nothingStored;
  const [items = 0, itemBytes = 0, files = 0, fileBytes = 0] = JSON.parse(
    row.toString(),
  ) as readonly number[];
  return { items, itemBytes, files, fileBytes };
}
