import { openDeadline, pauseAfter } from '../http/deadline.js';
import { BasedriveError, invalid } from '../http/error.js';
import { isPassing } from '../http/retry.js';

/** A live query or list, which goes on until it is closed. */
export interface LiveQuery {
  /** Ends it. Nothing is shown any more. */
  close(): void;
  /**
   * Resolves when it is closed. Rejects with a `BasedriveError` when it cannot begin, or cannot go on: the key has ended,
   * or the server keeps no changes. A connection that is lost is no such error.
   */
  readonly ended: Promise<void>;
}

/** What changes, as `changes` gives it. */
export type LiveChange<I> = { readonly cursor?: string } & (
  | { readonly type: 'put'; readonly id: string; readonly item: I }
  | { readonly type: 'delete'; readonly id: string }
  | { readonly type: 'live' }
);

/** Orders as the service has them (docs/http.md#ordered-queries): negative if `a` comes before `b`; 0: only the service knows. */
export type Compare<I> = (a: I, b: I) => number;

/** What is kept current. */
export interface LiveSource<I> {
  /** What changes from now on; `live` comes first. */
  changes(signal: AbortSignal): AsyncIterable<LiveChange<I>>;
  /** What there is now, in the order, `count` or more of them if there are enough. */
  read(count: number, signal: AbortSignal): AsyncIterable<I>;
  idOf(item: I): string;
  readonly compare: Compare<I>;
  /** How many are shown, 1 or more. */
  readonly limit: number;
}

/** More than are shown are held, so that the next ones are there when some leave. */
const mostSpare = 50;

/** Calls `onChange` with the first `limit` of what there is, in its order, and again whenever these change, until it is closed. */
export function openLive<I>(
  source: LiveSource<I>,
  onChange: (items: I[]) => void,
  signal?: AbortSignal,
): LiveQuery {
  if (typeof onChange !== 'function') throw invalid('onChange must be a function');
  const deadline = openDeadline({ signal });
  const held = openWindow(source);
  let hasBegun = false;
  let failures = 0;

  const show = () => {
    failures = 0;
    hasBegun = true;
    if (!deadline.signal.aborted && held.takeChanged()) onChange(held.shown());
  };

  /** Follows from now on. What is shown stays until what there is now has been read. */
  const follow = async () => {
    let isRead = false;
    for await (const change of source.changes(deadline.signal)) {
      if (change.type === 'put') held.put(change.id, change.item);
      else if (change.type === 'delete') held.remove(change.id);
      if (change.cursor === undefined) continue;
      // What changes while it is read comes afterwards.
      if (!isRead || held.isIncomplete()) await held.read(deadline.signal);
      isRead = true;
      show();
    }
  };

  const run = async () => {
    if (!(source.limit >= 1)) throw invalid('The limit of a live query must be 1 or more');
    for (;;) {
      try {
        await follow();
      } catch (cause) {
        if (deadline.error()) return;
        if (!hasBegun || !mayBeginAgain(cause)) throw cause;
      }
      await pauseAfter(failures++, deadline).catch(() => {});
    }
  };

  return {
    close: () => deadline.end(new BasedriveError('aborted', 'The live query was closed')),
    ended: run().finally(deadline.close),
  };
}

/** Whether a new beginning helps: the changes after the cursor are no longer kept, or the service is away. */
function mayBeginAgain(cause: unknown): boolean {
  return (
    cause instanceof BasedriveError && (cause.status === 410 || cause.code === 'timeout' || isPassing(cause))
  );
}

/** The first of what matches, in the order: what is shown, and some more. */
function openWindow<I>({ read, idOf, compare, limit }: LiveSource<I>) {
  const most = limit + Math.min(limit, mostSpare);
  let items: I[] = [];
  let byId = new Map<string, I>();
  /** Whether more may follow after those that are held. */
  let isCut = false;
  let isUnsure = false;
  let isChanged = false;

  const drop = (id: string): boolean => {
    const before = byId.get(id);
    if (before === undefined) return false;
    const at = items.indexOf(before);
    items.splice(at, 1);
    byId.delete(id);
    isChanged ||= at < limit;
    return true;
  };

  /** The place of an item: the number of those before it. */
  const placeOf = (item: I): number => {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = compare(items[middle] as I, item);
      if (order === 0) isUnsure = true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    put(id: string, item: I): void {
      drop(id);
      const at = placeOf(item);
      // Others that are not held may come before it.
      if (at === items.length && isCut) return;
      items.splice(at, 0, item);
      byId.set(id, item);
      isChanged ||= at < limit;
      if (items.length <= most) return;
      byId.delete(idOf(items.pop() as I));
      isCut = true;
    },
    remove: (id: string): void => void drop(id),
    isIncomplete: () => isUnsure || (isCut && items.length < limit),
    async read(signal: AbortSignal): Promise<void> {
      const found: I[] = [];
      let isMore = false;
      for await (const item of read(most + 1, signal)) {
        isMore = found.length === most;
        if (isMore) break;
        found.push(item);
      }
      items = found;
      byId = new Map(found.map((item) => [idOf(item), item]));
      isCut = isMore;
      isUnsure = false;
      isChanged = true;
    },
    shown: () => items.slice(0, limit),
    takeChanged(): boolean {
      const was = isChanged;
      isChanged = false;
      return was;
    },
  };
}
