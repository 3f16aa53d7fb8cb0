import type { ChangeLog } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';
import { shareRuns } from '../lib/concurrency/share-runs.js';
import { changeState, type LogState, newEpoch, readState } from './log-state.js';
import type { Position } from './position.js';

/** The log of rows that other processes write, too. */
export type OrderedLog = ChangeLog & Required<Pick<ChangeLog, 'order' | 'soFar'>>;

/** Cursors of earlier ones are too old. */
const maxFormer = 20;

/**
 * The log of a server that shares its rows. When a standby of the database has taken over, another epoch begins. It goes on
 * from the one before, for cursors up to the last one of each server that knows that everything before it is there. `state`:
 * as it is stored since the last call of `complete`.
 */
export function createSharedLog(items: ItemStore, log: OrderedLog, state: LogState) {
  let seen = log.order();
  let known = state;
  /** The last key that this process has given in this epoch. */
  let given = state.complete ?? '';

  async function complete(): Promise<string> {
    for (;;) {
      const before = seen;
      const key = await log.complete();
      if (log.order() === before && seen === before) {
        if (key > given) given = key;
        return key;
      }
      await followOrder();
    }
  }

  const followOrder = shareRuns(async () => {
    const order = log.order();
    const key = await log.complete();
    if (order === seen || order !== log.order()) return;
    const own =
      order.losses === seen.losses && known.epoch !== undefined
        ? { epoch: known.epoch, until: given }
        : undefined;
    known = await changeState(items, (before) => {
      const from = { complete: key, order: order.name };
      if (before.epoch === undefined) return newEpoch(before, from);
      if (before.epoch === known.epoch)
        return newEpoch(before, { ...from, former: own && withFormer(before, own) });
      // Another server has begun one, and may not know what this one knows.
      return {
        ...before,
        former: own && before.order === order.name ? withFormer(before, own) : before.former,
      };
    });
    given = key;
    seen = order;
  });

  return {
    ...log,
    complete,
    get epoch(): string {
      return known.epoch ?? '';
    },
    async hasGiven(position: Pick<Position, 'epoch' | 'next'>, isStored?: boolean): Promise<boolean> {
      if (position.epoch !== known.epoch) {
        if (isOfFormer(known, position, isStored)) return true;
        // Another server may have said since what it had given.
        const stored = await readState(items);
        if (stored.epoch !== known.epoch) return false;
        known = stored;
        return isOfFormer(known, position, isStored);
      }
      return position.next <= given || position.next <= (await log.soFar()).complete;
    },
  };
}

/**
 * Whether everything before a position is there that was given in an earlier epoch. One that is `isStored` was found in the
 * rows.
 */
export function isOfFormer(
  { former = [] }: LogState,
  { epoch, next }: Pick<Position, 'epoch' | 'next'>,
  isStored = false,
): boolean {
  return former.some((one) => one.epoch === epoch && (isStored || next <= one.until));
}

function withFormer({ former = [] }: LogState, own: { readonly epoch: string; readonly until: string }) {
  const same = former.find(({ epoch }) => epoch === own.epoch);
  const until = same !== undefined && same.until > own.until ? same.until : own.until;
  return [...former.filter((one) => one !== same), { epoch: own.epoch, until }].slice(-maxFormer);
}
