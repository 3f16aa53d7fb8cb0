import { mayWrite } from '../../api/own-key.js';
import { goToRow } from '../../grid/grid.js';
import { Button, IconButton } from '../../ui/button.js';
import { countOf, formatCount } from '../../ui/format.js';
import type { BaseProps } from '../actions.js';
import { RangeStatus } from '../cells/range-status.js';
import { everything } from '../query/model.js';

/** What can be done with the selected items, and how many are loaded. */
export function Footer({ view, actions }: BaseProps) {
  const { listing, selection } = view;
  const isQuery = view.request.query !== everything;
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
              <Button text="Update" variant="quiet" icon="pencil" onClick={actions.updateSelected} />
              <Button text="Delete" variant="quiet" icon="trash" onClick={actions.deleteSelected} />
            </>
          )}
          <Button text="Export" variant="quiet" icon="download" onClick={actions.exportSelected} />
          <Button
            text="CSV…"
            variant="quiet"
            title="Export as a table"
            onClick={() => actions.askForTable('selected')}
          />
          {hasMore && !isAll && selected !== undefined && selected >= loaded && (
            <Button
              text={`Select all ${isQuery ? countOf(total, 'match', 'matches') : countOf(total, 'item')}`}
              variant="quiet"
              onClick={selection.selectAll}
            />
          )}
        </>
      )}
      <RangeStatus cells={view.cells} range={view.range.value} />
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
