import { setTimeout as wait } from 'node:timers/promises';
import type { ChangeLog } from '../../engines/change-log.js';
import type { ItemStore } from '../../engines/item-store.js';
import { type LogState, readState } from '../../feed/log-state.js';
import { isOfFormer } from '../../feed/shared-log.js';
import type { StoredLog } from '../../feed/stored-log.js';
import { OperatorError } from '../../operator-error.js';
import type { StandbyPosition } from '../copy/copy-marker.js';

/** The log of changes of a source. */
export interface SourceLog extends ChangeLog {
  /** Changes whenever changes were not noted for a while. Throws `OperatorError` when they are not now. */
  epoch(): Promise<string>;
  /** Whether everything before a position is there for sure that was complete once. */
  hasGiven(position: Pick<StandbyPosition, 'epoch' | 'next'>): Promise<boolean>;
}

/** Servers look once a second whether a standby has taken over. Comparing everything takes longer. */
const seenWithinMs = 5000;
const askAgainMs = 250;

const notKept =
  'The source notes no changes: start its server without --keep-changes 0s, on rows that have an order of their commits';

/** The log that the server of this process writes. Throws `OperatorError` without one. */
export function ownLog(log: StoredLog | undefined): SourceLog {
  if (log === undefined) throw new OperatorError(notKept);
  return { ...log, epoch: async () => log.epoch };
}

/** The log that servers write to shared rows. Throws `OperatorError` if it has no order. */
export async function sharedLog(items: ItemStore): Promise<SourceLog> {
  // This process writes nothing there: it only asks how far the log is complete.
  const rules = { notedRows: () => undefined, clock: Date.now, generation: '' };
  const log = await items.keepChanges?.(rules);
  if (log === undefined) throw new OperatorError(notKept);
  let losses = 0;
  const isSeen = ({ order }: LogState) => order === undefined || order === log.order?.().name;
  /** A server that notes changes begins an epoch when it sees that a standby has taken over. Until then, it is one between. */
  const epochOf = (state: LogState) =>
    state.epoch === undefined || isSeen(state) ? state.epoch : `${state.epoch}/${log.order?.().name}`;

  async function stateOnceSeen({ epoch }: Pick<StandbyPosition, 'epoch'>): Promise<LogState> {
    const untilMs = performance.now() + seenWithinMs;
    for (;;) {
      const state = await readState(items);
      if (isSeen(state) || state.epoch !== epoch || performance.now() > untilMs) return state;
      await wait(askAgainMs);
    }
  }

  return {
    ...log,
    async hasGiven(position) {
      await log.complete();
      const order = log.order?.();
      const state = await stateOnceSeen(position);
      if (order !== undefined && order.losses !== losses) {
        losses = order.losses;
        return false;
      }
      const epoch = epochOf(state);
      if (epoch !== position.epoch) return epoch === state.epoch && isOfFormer(state, position);
      return position.next <= ((await log.soFar?.())?.complete ?? position.next);
    },
    async epoch() {
      const epoch = epochOf(await readState(items));
      if (epoch === undefined) throw new OperatorError(notKept);
      return epoch;
    },
  };
}
