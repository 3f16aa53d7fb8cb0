import { useEffect, useRef } from 'preact/hooks';
import { followInView } from '../../api/follow.js';
import { readAttributes } from '../../exact/scan.js';
import { type Row, readRow } from '../view/row.js';
import type { Listing } from './listing.js';

/** Milliseconds for which a row is marked. */
const markedMs = 4000;
/** Milliseconds after which changes are shown that came while something of one's own was on its way. */
const laterMs = 250;

interface FollowedOptions {
  readonly base: string;
  readonly listing: Listing;
  /** Whether nothing of one's own is on its way, whose changes come here, too. */
  readonly isIdle: boolean;
  /** Called when items have come or gone. */
  onOthers(): void;
}

/** Shows what others change of the rows in memory, where they are. What is staged stays as it is. */
export function useFollowed(options: FollowedOptions): void {
  const { base } = options;
  const latest = useRef(options);
  latest.current = options;

  useEffect(() => {
    let pending = new Map<string, Row | undefined>();
    let timer: ReturnType<typeof setTimeout> | undefined;

    const show = () => {
      clearTimeout(timer);
      const { listing, isIdle, onOthers } = latest.current;
      if (!isIdle) {
        timer = setTimeout(show, laterMs);
        return;
      }
      const changes = pending;
      pending = new Map();
      if (showChanges(listing, changes)) onOthers();
    };

    const end = followInView(
      { bases: [base] },
      (text) => note(pending, text),
      () => pending.size > 0 && show(),
    );
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [base]);
}

/** Notes a change, as the service sent it. */
function note(pending: Map<string, Row | undefined>, text: string): void {
  const members = new Map(readAttributes(text));
  const item = members.get('item');
  pending.set(
    JSON.parse(members.get('key') ?? '""') as string,
    item === undefined ? undefined : readRow(item),
  );
}

/** Shows changes of rows in memory. Gives whether other items have come or gone. */
function showChanges(listing: Listing, changes: ReadonlyMap<string, Row | undefined>): boolean {
  const rows = listing.rows.peek();
  const replaced = new Map<string, Row>();
  const deleted: string[] = [];
  let hasOthers = false;
  for (const [key, row] of changes) {
    const present = rows.find(key);
    if (present?.text === row?.text) continue;
    if (present !== undefined && row !== undefined) replaced.set(key, row);
    else hasOthers = true;
    if (present !== undefined && row === undefined) deleted.push(key);
  }
  if (replaced.size > 0) listing.replace(replaced);
  // A row that is gone stays, so that nothing moves under somebody's hand.
  const marks = new Map([...replaced.keys()].map((key) => [key, 'changed'] as const));
  mark(listing, new Map([...marks, ...deleted.map((key) => [key, 'deleted'] as const)]));
  if (marks.size > 0) setTimeout(() => unmark(listing, marks.keys()), markedMs);
  return hasOthers;
}

function mark({ elsewhere }: Listing, marks: ReadonlyMap<string, string>): void {
  if (marks.size > 0) elsewhere.value = new Map([...elsewhere.peek(), ...marks]);
}

function unmark({ elsewhere }: Listing, keys: Iterable<string>): void {
  const left = new Map(elsewhere.peek());
  for (const key of keys) if (left.get(key) === 'changed') left.delete(key);
  elsewhere.value = left;
}
