import type { GridColumn } from '../../grid/grid-props.js';
import { Icon } from '../../ui/icon.js';
import { type Column, shownName } from './columns.js';
import { isNumeric } from './item-cell.js';
import { Glyph } from './value.js';

interface ColumnHeadProps {
  readonly column: Column;
  readonly sort: GridColumn['sort'];
  /** Whether its values are shown as dates. */
  readonly isDate: boolean;
  onSort(): void;
}

/** The head of a column: its name, the sign of its type, and how the items are sorted by it. */
export function ColumnHead({ column, sort, isDate, onSort }: ColumnHeadProps) {
  return (
    <button
      type="button"
      class={isNumeric(column) && !isDate ? 'column-head numeric' : 'column-head'}
      tabIndex={-1}
      onClick={onSort}
    >
      <span class="clip">{shownName(column.name)}</span>
      {isDate ? <Icon name="clock" size={14} /> : <Glyph kind={column.kind} />}
      {sort !== undefined && <Icon name={sort === 'ascending' ? 'arrow-up' : 'arrow-down'} size={14} />}
    </button>
  );
}
