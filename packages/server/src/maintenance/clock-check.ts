import type { ItemStore } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';

/** What is known of this server's clock. `unknown`: it was not compared yet. */
export type ClockState = 'right' | 'wrong' | 'unknown';

/** Whether the clock of this server agrees with that of the rows, so that it may remove what is old by its clock. */
export interface ClockCheck {
  /** Asked before every step. */
  state(): ClockState;
  start(): void;
  /** Resolves when the comparison in progress has ended. */
  stop(): Promise<void>;
}

/** For rows without a clock of their own: nobody knows better. */
export const onlyClock: ClockCheck = { state: () => 'right', start() {}, async stop() {} };

export interface ClockCheckDependencies {
  /** The clock of the rows. */
  readonly rowsNowMs: NonNullable<ItemStore['nowMs']>;
  readonly clock: Clock;
  readonly log: Log;
  /** A clock in milliseconds that nobody sets. */
  readonly monotonicMs?: () => number;
}

export interface RunningClockCheck extends ClockCheck {
  /**
   * Compares the clocks. `start` does this again and again. Does not reject: while the rows are away, the last comparison
   * counts.
   */
  compare(): Promise<void>;
}

const everyMs = 10_000;
/** Far more than servers with NTP differ, and a small part of the times after which something is removed. */
const mostMs = 5 * 60 * 1000;

/**
 * Compares the clock of this server with the one that all servers see, that of the rows. Between two comparisons the time
 * is measured with a clock that nobody sets: a jump shows at once.
 */
export function createClockCheck(dependencies: ClockCheckDependencies): RunningClockCheck {
  const { rowsNowMs, clock, log, monotonicMs = () => performance.now() } = dependencies;
  /** What the clock of the rows showed when the monotonic one was at 0. */
  let rowsBeganMs: number | undefined;
  let loggedState: ClockState = 'right';
  let isFailureLogged = false;
  let end: (() => Promise<void>) | undefined;

  const aheadMs = (beganMs: number) => clock() - (beganMs + monotonicMs());

  function state(): ClockState {
    if (rowsBeganMs === undefined) return 'unknown';
    return Math.abs(aheadMs(rowsBeganMs)) <= mostMs ? 'right' : 'wrong';
  }

  async function compare(): Promise<void> {
    const askedMs = monotonicMs();
    try {
      const nowMs = await rowsNowMs();
      rowsBeganMs = nowMs - (askedMs + monotonicMs()) / 2;
    } catch (cause) {
      logFailure(cause);
      return;
    }
    logChange(Math.round(aheadMs(rowsBeganMs) / 1000));
  }

  /** Logs a failure of the first comparison, once. Later ones are those of rows that are away, which others report. */
  function logFailure(cause: unknown): void {
    if (rowsBeganMs !== undefined || isFailureLogged) return;
    isFailureLogged = true;
    log.error(
      { err: cause },
      'the clock of the database cannot be read: until then nothing is removed by its age',
    );
  }

  function logChange(aheadSeconds: number): void {
    const now = state();
    if (now === loggedState) return;
    loggedState = now;
    const away = `${Math.abs(aheadSeconds).toLocaleString('en')} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`;
    if (now === 'wrong')
      log.error(
        { aheadSeconds },
        `the clock of this server is ${away} that of the database: it removes nothing by its age until they agree`,
      );
    else log.info({ aheadSeconds }, 'the clock of this server agrees with that of the database');
  }

  return {
    state,
    compare,
    start() {
      end ??= repeat(compare, () => everyMs, 0);
    },
    stop: async () => end?.(),
  };
}
