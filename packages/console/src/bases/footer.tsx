import { mayWrite } from '../api/own-key.js';
import { Button } from '../ui/button.js';
import { countOf, formatCount } from '../ui/format.js';
import type { Listing } from './listing.js';
import type { Selection } from './selection.js';

interface FooterProps {
  readonly listing: Listing;
  readonly selection: Selection;
  onDelete(): void;
  /** Deletes all that match, loaded or not. */
  onDeleteMatches(): void;
  onExport(): void;
}

/** What can be done with the selected items, and how many are loaded. */
export function Footer({ listing, selection, onDelete, onDeleteMatches, onExport }: FooterProps) {
  const selected = selection.keys.value.size;
  const loaded = listing.rows.value.length;
  const total = listing.total.value;
  const hasMore = total !== undefined && total > loaded;
  return (
    <footer class="screen-foot">
      {selected > 0 && (
        <>
          <span role="status">{formatCount(selected)} selected</span>
          {mayWrite.value && (
            <Button variant="quiet" icon="trash" onClick={onDelete}>
              Delete
            </Button>
          )}
          <Button variant="quiet" icon="download" onClick={onExport}>
            Export
          </Button>
          {mayWrite.value && hasMore && selected >= loaded && (
            <Button variant="quiet" onClick={onDeleteMatches}>
              {`Delete all ${countOf(total, 'match', 'matches')}…`}
            </Button>
          )}
          <Button variant="quiet" onClick={selection.clear}>
            Clear
          </Button>
        </>
      )}
      <span class="meta push">
        {loaded === 0 ? '' : formatCount(loaded)}
        {hasMore ? ` of ${formatCount(total)}` : ''}
      </span>
    </footer>
  );
}
