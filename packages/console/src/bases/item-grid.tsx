import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { Grid, type GridColumn } from '../grid/grid.js';
import type { Place } from '../grid/move.js';
import { route, setParameters } from '../router.js';
import { Icon } from '../ui/icon.js';
import { isPhone } from '../ui/media.js';
import { Card } from './card.js';
import { type Column, columnsOf, expiresName } from './columns.js';
import type { Listing } from './listing.js';
import { nextOrder, splitOrder } from './order.js';
import type { Selection } from './selection.js';
import { ExpiryValue, Glyph, Value } from './value.js';

const cardHeight = 124;

interface ItemGridProps {
  readonly base: string;
  readonly listing: Listing;
  readonly selection: Selection;
}

/** The items as a table: a column for each attribute that one of them has. */
export function ItemGrid({ base, listing, selection }: ItemGridProps) {
  const { order = '' } = route.value.parameters;
  const active = useSignal<Place>({ row: 0, column: 0 });
  const known = useRef<readonly Column[]>([]);
  const rows = listing.rows.value;
  const columns = useMemo(() => {
    known.current = columnsOf(rows, known.current);
    return known.current;
  }, [rows]);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const sorted = splitOrder(order);
  const gridColumns = columns.map(({ name, width }): GridColumn => {
    const sort = sorted.isDescending ? 'descending' : 'ascending';
    return { id: name, width, sort: name === sorted.name ? sort : undefined };
  });
  const sortBy = (name: string) => setParameters({ order: nextOrder(order, name) });
  const selected = selection.keys.value;

  return (
    <Grid
      label={`Items of ${base}`}
      columns={gridColumns}
      rowCount={rows.length}
      totalCount={listing.total.value}
      active={active.value}
      cardHeight={isPhone.value ? cardHeight : undefined}
      rowId={(row) => keys[row] ?? ''}
      isSelected={(row) => (row === -1 ? selected.size >= keys.length : selected.has(keys[row] ?? ''))}
      header={({ id, sort }) => (
        <button type="button" class="column-head" tabIndex={-1} onClick={() => sortBy(id)}>
          <span class="clip">{id === expiresName ? 'expires' : id}</span>
          <Glyph kind={columns.find(({ name }) => name === id)?.kind ?? 'null'} />
          {sort !== undefined && <Icon name={sort === 'ascending' ? 'arrow-up' : 'arrow-down'} size={14} />}
        </button>
      )}
      cell={(row, { id }) => {
        const json = rows[row]?.attributes.get(id);
        if (json === undefined) return null;
        return id === expiresName ? <ExpiryValue json={json} /> : <Value json={json} />;
      }}
      card={(row) => <Card row={rows[row]} />}
      onActive={(place) => {
        active.value = place;
      }}
      onSelect={(row, isRange) =>
        row === -1 ? selection.toggleAll(keys) : selection.toggle(row, keys, isRange)
      }
      onOpen={({ row, column }) => {
        if (row === -1) sortBy(columns[column]?.name ?? '');
      }}
      onNearEnd={() => void listing.more()}
    />
  );
}
