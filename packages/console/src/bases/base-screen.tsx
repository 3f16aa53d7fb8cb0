import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { route } from '../router.js';
import { Button } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { copyText } from '../ui/copy.js';
import { countOf, formatCount } from '../ui/format.js';
import { Menu, MenuItem, MenuLine } from '../ui/menu.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { deleteItems } from './delete-items.js';
import { ItemGrid } from './item-grid.js';
import { type Listing, openListing } from './listing.js';
import { readOrder } from './order.js';
import { createSelection, type Selection } from './selection.js';

/** The items of a base. */
export function BaseScreen({ base }: { readonly base: string }) {
  const { query = '[]', order = '' } = route.value.parameters;
  const attempt = useSignal(0);
  // `attempt` reads everything again.
  const listing = useMemo(
    () => openListing({ base, query, ...readOrder(order) }),
    [base, query, order, attempt.value],
  );
  const selection = useMemo(() => createSelection(), []);
  useEffect(() => listing.close, [listing]);
  const rows = listing.rows.value;
  const state = listing.state.value;
  const total = listing.total.value;

  function askToDelete(): void {
    const chosen = rows.filter(({ key }) => selection.keys.value.has(key));
    if (chosen.length === 0) return;
    confirm({
      title: `Delete ${countOf(chosen.length, 'item')}?`,
      text: chosen.length === 1 ? <code>{chosen[0]?.key}</code> : 'You can take it back right after.',
      verb: 'Delete',
      danger: true,
      act: async () => {
        await deleteItems(base, chosen, listing);
        selection.clear();
      },
    });
  }

  return (
    <div class="screen">
      <header class="screen-head">
        <h1 class="clip">{base}</h1>
        <span class="meta">{total === undefined ? '' : countOf(total, 'item')}</span>
        <span class="screen-actions">
          <Menu label="More">
            <MenuItem icon="refresh" onChoose={() => attempt.value++}>
              Read again
            </MenuItem>
            <MenuLine />
            <MenuItem icon="copy" onChoose={() => void copyText(base)}>
              Copy the name
            </MenuItem>
          </Menu>
        </span>
      </header>
      {state === 'failed' && rows.length === 0 ? (
        <ErrorState cause={listing.failure.value} onRetry={() => attempt.value++} />
      ) : rows.length === 0 && state !== 'complete' ? (
        <LoadingRows />
      ) : rows.length === 0 ? (
        <EmptyState icon="database" title="No items" />
      ) : (
        <ItemGrid base={base} listing={listing} selection={selection} />
      )}
      <Footer listing={listing} selection={selection} onDelete={askToDelete} />
    </div>
  );
}

interface FooterProps {
  readonly listing: Listing;
  readonly selection: Selection;
  onDelete(): void;
}

/** What can be done with the selected items, and how many are loaded. */
function Footer({ listing, selection, onDelete }: FooterProps) {
  const selected = selection.keys.value.size;
  const loaded = listing.rows.value.length;
  const total = listing.total.value;
  return (
    <footer class="screen-foot">
      {selected > 0 && (
        <>
          <span>{formatCount(selected)} selected</span>
          <Button variant="quiet" icon="trash" onClick={onDelete}>
            Delete
          </Button>
          <Button variant="quiet" onClick={selection.clear}>
            Clear
          </Button>
        </>
      )}
      <span class="meta push">
        {formatCount(loaded)}
        {total !== undefined && total > loaded ? ` of ${formatCount(total)}` : ''}
      </span>
    </footer>
  );
}
