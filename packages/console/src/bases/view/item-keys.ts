import type { Signal } from '@preact/signals';
import { mayWrite } from '../../api/own-key.js';
import type { CellRange } from '../../grid/cell-range.js';
import type { Place } from '../../grid/move.js';
import type { Selection } from '../../grid/selection.js';
import type { CellCommands } from '../cells/cell-commands.js';
import type { Cells } from '../cells/cells.js';

interface KeyOptions {
  readonly cells: Cells;
  readonly range: Signal<CellRange | undefined>;
  readonly selection: Selection;
  readonly commands: CellCommands;
  edit(place: Place, typed?: string): void;
  onOpenItem(key: string): void;
  onDelete(): void;
}

/** Does what a key says on the items, other than moving and selecting. */
export function onItemKey(event: KeyboardEvent, place: Place, options: KeyOptions): void {
  const { cells, edit, onOpenItem } = options;
  const isMod = event.ctrlKey || event.metaKey;
  const row = cells.rows.peek().at(place.row);
  if (event.key === 'F2') edit(place);
  else if (isMod && event.key === 'Enter' && row !== undefined) onOpenItem(row.key);
  else if (isTyped(event) && row !== undefined) edit(place, event.key);
  else if (!onSelectionKey(event, isMod, options) && !onChangeKey(event, isMod, options)) return;
  event.preventDefault();
}

/** What selects rows, and ends a selection. Gives whether the key did it. */
function onSelectionKey(
  { key }: KeyboardEvent,
  isMod: boolean,
  { cells, range, selection }: KeyOptions,
): boolean {
  if (isMod && key === 'a') selection.toggleAll(cells.rows.peek().keys);
  else if (key === 'Escape' && range.peek() !== undefined) range.value = undefined;
  else if (key === 'Escape' && hasRows(selection)) selection.clear();
  else return false;
  return true;
}

/** What changes the selected cells, or deletes the selected rows. Gives whether the key did it. */
function onChangeKey(
  { key }: KeyboardEvent,
  isMod: boolean,
  { range, selection, commands, onDelete }: KeyOptions,
): boolean {
  if (!mayWrite.peek()) return false;
  if (key === 'Delete' && range.peek() === undefined && hasRows(selection)) onDelete();
  else if (key === 'Delete' || key === 'Backspace') commands.clear();
  else if (isMod && key === 'd') commands.fillDown();
  // Of one column there is nothing to fill: the browser has the key.
  else if (isMod && key === 'r') return commands.fillRight();
  else return false;
  return true;
}

const hasRows = ({ keys, isAll }: Selection) => isAll.peek() || keys.peek().size > 0;

/** Whether a key types a character. `/` and `?` stay what they are anywhere on the page. */
function isTyped({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  return [...key].length === 1 && !'/?'.includes(key) && !ctrlKey && !metaKey && !altKey && !isComposing;
}
