/**
 * The log of changes: what an item store notes of rows that change, in the same atomic step. Each commit adds a row to
 * the log of each project that it changes, and rows of one commit are in one row of the log. The logs are ordinary
 * spaces, so they are read with `scan`. A note has no value: the value is read when it is asked for.
 */

/** The rows of a space whose changes are noted. */
export interface NotedRows {
  /** The space of the log. */
  readonly log: string;
  /** Whether changes of the row with this key are noted. */
  isNoted(key: string): boolean;
}

export interface ChangeLogRules {
  /** What is noted of a space; undefined if nothing is. It always gives the same for the same space. */
  notedRows(space: string): NotedRows | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly clock: () => number;
  /** Greater than at any earlier start on these rows, and of the same length. An engine with an order of its own needs none. */
  readonly generation: string;
}

/** What gives the keys of logs their order, where other processes write to them, too. */
export interface KeyOrder {
  /** Rows that were restored have another order, and so have those of a standby that has taken over. */
  readonly name: string;
  /**
   * How often some of what was before keys that `complete` gave to this process may have been lost: then they are the keys
   * of other rows.
   */
  readonly losses: number;
}

/** How far the keys of logs have come. */
export interface KeysSoFar {
  /** As `complete` gives it, but a crash may lose what is before it. No process was given a later key in this order. */
  readonly complete: string;
  /** No row has this key or a later one. */
  readonly unused: string;
}

/** The rows of logs as an engine writes them. */
export interface ChangeLog {
  /**
   * A key of logs: every row before it is there for good, and no row will come before it. All that was acknowledged
   * before the call is before it; on rows that others share, after `caughtUp`. Keys of logs have one length.
   */
  complete(): Promise<string>;
  /**
   * The order as of the last call of `complete`, the same object until it changes. Absent where this process has the rows
   * alone.
   */
  readonly order?: (() => KeyOrder) | undefined;
  /** Absent where `order` is. */
  readonly soFar?: (() => Promise<KeysSoFar>) | undefined;
  /**
   * Resolves when all that was acknowledged before the call is complete, or after about a second if a transaction that
   * began earlier is still in progress then. Absent where that is always so.
   */
  readonly caughtUp?: (() => Promise<void>) | undefined;
  /**
   * Calls `listener` with the spaces of logs that have got rows, soon after each commit. Gives the function that ends it.
   * Absent for an engine that does not know what others commit: ask `complete` again and again.
   */
  readonly onCommit?: ((listener: (logs: readonly string[]) => void) => () => void) | undefined;
}

/** Is told the key of the row of a log that notes a change. */
export type OnNoted = (key: string) => void;

/** A row of a log. */
export interface LogValue {
  /** When it was committed, in whole seconds since 1970 UTC. */
  readonly atSeconds: number;
  /** The keys of the rows that the commit put or deleted, by their spaces. A key may come twice. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

/** The value of a row of a log. */
export function encodeLogValue(value: LogValue): Buffer {
  return Buffer.from(JSON.stringify([value.atSeconds, value.keys]));
}

/** Reads the value of a row of a log. Throws `SyntaxError`. */
export function readLogValue(value: Buffer | string): LogValue {
  const [atSeconds, keys] = JSON.parse(value.toString()) as [number, LogValue['keys']];
  return { atSeconds, keys };
}
