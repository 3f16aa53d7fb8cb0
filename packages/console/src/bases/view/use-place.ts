import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { GridPlace } from '../../grid/grid-props.js';
import type { Place } from '../../grid/move.js';
import type { Selection } from '../../grid/selection.js';
import { isSameList, keepPlace, placeOfAddress, route } from '../../router.js';
import type { Listing } from '../listing/listing.js';

interface PlaceOptions {
  readonly listing: Listing;
  /** Whether these rows are shown only until others are read. */
  readonly isWaiting: boolean;
  readonly active: Signal<Place>;
  readonly selection: Selection;
}

interface UsedPlace {
  /** Where the grid is to be. */
  readonly place: GridPlace;
  /** Notes the first row in view. */
  onPlace(row: number): void;
}

/** Rows that are read page by page at most, to come back to a place that cannot be read at once. */
const maxRead = 10_000;
/** Milliseconds after which a place is noted: browsers count the changes of an address. */
const restMs = 150;
/** What a person does who goes elsewhere in the meantime. */
const moves = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

/**
 * Keeps the place in a list in the address and in the history of the browser, and leads to it after a reload, Back or a
 * link. A list without a noted place begins at its start.
 */
export function usePlace({ listing, isWaiting, active, selection }: PlaceOptions): UsedPlace {
  const { request } = listing;
  const aim = useRef({ request, row: placeOfAddress(), isOver: false, place: { row: 0 } });
  if (aim.current.request !== request)
    aim.current = { request, row: placeOfAddress(), isOver: false, place: { row: 0 } };
  const goal = aim.current;
  if (!goal.isOver) {
    const { row, isThere } = reached(listing, goal.row);
    if (row !== goal.place.row) goal.place = { row };
    goal.isOver = isThere;
  }

  const top = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = route.value;
  const note = () => {
    clearTimeout(timer.current);
    if (isWaiting || !aim.current.isOver) return;
    timer.current = setTimeout(() => {
      // After Back the address is another one before other rows are shown.
      if (!isSameList(shown, route.peek())) return;
      const selected = selection.keys.peek();
      keepPlace(top.current, { cell: active.peek(), selected: [...selected] });
    }, restMs);
  };
  useEffect(note, [active.value, selection.keys.value]);
  // What is noted belongs to the rows that are shown.
  useEffect(() => () => clearTimeout(timer.current), [request, isWaiting]);

  useEffect(() => {
    const stop = () => {
      aim.current.isOver = true;
    };
    for (const move of moves) addEventListener(move, stop, { capture: true, passive: true });
    return () => {
      for (const move of moves) removeEventListener(move, stop, { capture: true });
    };
  }, []);

  return {
    place: goal.place,
    onPlace(row) {
      top.current = row;
      note();
    },
  };
}

/** How near to a row the list is already, and whether this is as near as it will be. */
function reached(listing: Listing, row: number): { readonly row: number; readonly isThere: boolean } {
  const rows = listing.rows.value;
  const end = rows.first + rows.length;
  const isCounted = listing.total.value !== undefined;
  if (listing.readsAnywhere)
    return row < rows.span || isCounted ? { row, isThere: true } : { row: 0, isThere: false };
  if (row > maxRead) return { row: 0, isThere: true };
  return row < end || listing.state.value === 'complete'
    ? { row, isThere: true }
    : { row: Math.max(0, end - 1), isThere: false };
}
