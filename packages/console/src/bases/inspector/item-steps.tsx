import { useEffect, useMemo, useRef } from 'preact/hooks';
import { IconButton } from '../../ui/button.js';
import type { Listing } from '../listing/listing.js';
import { rowOfKey } from '../listing/rows.js';

/** With these keys a choice opens its list, a date its calendar, and the JSON editor moves a line. */
function hasOwnKeys(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('select, [type=date], [type=datetime-local]');
}

interface ItemStepsProps {
  readonly itemKey: string;
  readonly listing: Listing;
  onStep(key: string): void;
}

/** Leads to the items before and after the open one in the list: with buttons, or with Alt and an arrow key. */
export function ItemSteps({ itemKey, listing, onStep }: ItemStepsProps) {
  const rows = listing.rows.value;
  const row = useMemo(() => rowOfKey(rows, itemKey), [rows, itemKey]);
  const before = row === undefined ? undefined : rows.keys.at(row - 1);
  const after = row === undefined ? undefined : rows.keys.at(row + 1);
  const step = useRef((_: string) => {});
  step.current = (key) => {
    const to = { ArrowUp: before, ArrowDown: after }[key];
    if (to !== undefined) onStep(to);
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || !/^Arrow(Up|Down)$/.test(event.key)) return;
      if (hasOwnKeys(event.composedPath()[0])) return;
      event.preventDefault();
      event.stopPropagation();
      step.current(event.key);
    };
    // Before the grid, which moves its cell with these keys.
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, []);
  return (
    <>
      <IconButton
        icon="chevron-up"
        label="Previous item (Alt ↑)"
        disabled={before === undefined}
        onClick={() => before !== undefined && onStep(before)}
      />
      <IconButton
        icon="chevron-down"
        label="Next item (Alt ↓)"
        disabled={after === undefined}
        onClick={() => after !== undefined && onStep(after)}
      />
    </>
  );
}
