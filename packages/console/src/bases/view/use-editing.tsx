import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { mayWrite } from '../../api/own-key.js';
import { focusGrid } from '../../grid/grid.js';
import type { Place } from '../../grid/move.js';
import { type Cells, valueAt } from '../cells/cells.js';
import { CellEditor, type Then } from '../edit/cell-editor.js';
import { draftProblem } from '../edit/item-draft.js';
import type { Row } from './row.js';

interface EditingOptions {
  readonly cells: Cells;
  readonly active: Signal<Place>;
  /** Gives the value to all cells that are selected. */
  setAll(json: string): void;
  onOpenItem(key: string): void;
}

interface Editing {
  readonly place: Place;
  /** The item and the value as they were when the editor was opened: what others store meanwhile is a conflict. */
  readonly row: Row;
  readonly json: string | undefined;
  readonly box: DOMRect;
  /** The character with which the user began to type over the value. */
  readonly typed?: string | undefined;
}

interface UsedEditing {
  /** Edits a cell, or opens the item where the cell cannot be edited. `typed` begins its text. */
  edit(place: Place, typed?: string): void;
  /** The editor over the cell, while there is one. */
  readonly editor: VNode | null;
}

const steps: Readonly<Record<Then, readonly [rows: number, columns: number]>> = {
  down: [1, 0],
  right: [0, 1],
  left: [0, -1],
  stay: [0, 0],
  all: [0, 0],
};

/** Edits values in their cells. */
export function useEditing({ cells, active, setAll, onOpenItem }: EditingOptions): UsedEditing {
  const editing = useSignal<Editing | undefined>(undefined);
  const { columns, staged } = cells;
  const keyAt = (row: number) => cells.rows.peek().keys.at(row) ?? '';

  function edit(place: Place, typed?: string): void {
    const name = columns[place.column]?.name;
    if (place.row < 0 || name === undefined) return;
    const key = keyAt(place.row);
    const isMistaken = draftProblem(key, staged.items.peek().get(key)) !== undefined;
    if (name === 'key' || isMistaken || !mayWrite.peek()) {
      if (typed === undefined) onOpenItem(key);
      return;
    }
    const row = cells.rows.peek().at(place.row);
    const box = document.querySelector('.grid .cell.active')?.getBoundingClientRect();
    if (row === undefined || box === undefined) return;
    editing.value = { place, row, json: valueAt(cells, place.row, name), box, typed };
  }

  function stop(): void {
    editing.value = undefined;
    focusGrid();
  }

  function take(json: string, then: Then): void {
    const { place, row } = editing.peek() ?? {};
    const name = columns[place?.column ?? -1]?.name;
    if (place === undefined || row === undefined || name === undefined) return;
    if (then === 'all') setAll(json);
    else {
      staged.set(staged.items.peek().get(row.key)?.row ?? row, name, json);
      active.value = stepFrom(place, then, cells);
    }
    stop();
  }

  const now = editing.value;
  if (now === undefined) return { edit, editor: null };
  const name = columns[now.place.column]?.name ?? '';
  const editor = (
    <CellEditor
      key={`${now.place.row}-${now.place.column}`}
      label={`${name} of ${now.row.key}`}
      json={now.json}
      box={now.box}
      typed={now.typed}
      date={cells.dates.get(name)}
      onTake={take}
      onCancel={stop}
    />
  );
  return { edit, editor };
}

function stepFrom({ row, column }: Place, then: Then, { rows, columns }: Cells): Place {
  const [down, right] = steps[then];
  return {
    row: Math.min(rows.peek().span - 1, row + down),
    column: Math.max(0, Math.min(columns.length - 1, column + right)),
  };
}
