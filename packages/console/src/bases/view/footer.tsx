import type { ComponentChildren } from 'preact';
import { mayWrite } from '../../api/own-key.js';
import { goToRow } from '../../grid/grid.js';
import type { Selection } from '../../grid/selection.js';
import { Button, IconButton } from '../../ui/button.js';
import { countOf, formatCount } from '../../ui/format.js';
import type { Listing } from '../listing/listing.js';

interface FooterProps {
  readonly listing: Listing;
  readonly selection: Selection;
  /** Whether a query is shown, so that not all items are. */
  readonly isQuery: boolean;
  /** What is said of the selected cells. */
  readonly status: ComponentChildren;
  onUpdate(): void;
  onDelete(): void;
  onExport(): void;
  /** Exports a table. */
  onTable(): void;
}

/** What can be done with the selected items, and how many are loaded. */
export function Footer(props: FooterProps) {
  const { listing, selection, isQuery, status, onUpdate, onDelete, onExport, onTable } = props;
  const isAll = selection.isAll.value;
  const loaded = listing.rows.value.length;
  const total = listing.total.value;
  const selected = isAll ? total : selection.keys.value.size;
  const hasSelection = isAll || selected !== 0;
  const hasMore = total !== undefined && total > loaded;
  if (loaded === 0 && !hasSelection) return null;
  return (
    <footer class="screen-foot">
      {hasSelection && (
        <>
          <IconButton icon="x" label="Select none" onClick={selection.clear} />
          <span role="status">{selected === undefined ? 'All' : formatCount(selected)} selected</span>
          {mayWrite.value && (
            <>
              <Button text="Update" variant="quiet" icon="pencil" onClick={onUpdate} />
              <Button text="Delete" variant="quiet" icon="trash" onClick={onDelete} />
            </>
          )}
          <Button text="Export" variant="quiet" icon="download" onClick={onExport} />
          <Button text="CSV…" variant="quiet" title="Export as a table" onClick={onTable} />
          {hasMore && !isAll && selected !== undefined && selected >= loaded && (
            <Button
              text={`Select all ${isQuery ? countOf(total, 'match', 'matches') : countOf(total, 'item')}`}
              variant="quiet"
              onClick={selection.selectAll}
            />
          )}
        </>
      )}
      {status}
      <span class={hasSelection ? 'meta push not-phone' : 'meta push'}>
        {listing.isTooFar.value && 'In this order the middle is read only from its ends. '}
        {hasMore ? `${formatCount(loaded)} of ${formatCount(total)} loaded` : `${formatCount(loaded)} loaded`}
      </span>
      {hasMore && (
        <>
          <IconButton icon="arrow-up" label="First items" onClick={() => goToRow('first')} />
          <IconButton icon="arrow-down" label="Last items" onClick={() => goToRow('last')} />
        </>
      )}
    </footer>
  );
}
