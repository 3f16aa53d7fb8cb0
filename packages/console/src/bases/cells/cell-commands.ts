import type { Signal } from '@preact/signals';
import { mayWrite } from '../../api/own-key.js';
import {
  type Area,
  areaAt,
  areaOf,
  type CellRange,
  columnsOf,
  isOneCell,
  rowsOf,
} from '../../grid/cell-range.js';
import type { Place } from '../../grid/move.js';
import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { type Cells, readBlock } from './cells.js';
import { type Changed, continueOver, pasteInto, repeatOver, setAll } from './change-cells.js';
import { putOnClipboard, readClipboard } from './clipboard.js';

/** What is done with the cells that are selected. Each change is staged, as one step. */
export interface CellCommands {
  /** Copies, cuts or pastes, as the event says. */
  onClipboard(event: ClipboardEvent): void;
  /** Removes the values. */
  clear(): void;
  /** Gives all cells one value. */
  setAll(json: string): void;
  /** Repeats the first row in those below it; of one row, the row above it. */
  fillDown(): void;
  /** Repeats the first column in those right of it. Gives false where there is no other. */
  fillRight(): boolean;
  /** Continues the series of an area over a larger one, or repeats its values. */
  fill(source: Area, area: Area, isRepeated: boolean): void;
}

interface CommandOptions {
  readonly cells: Cells;
  readonly active: Signal<Place>;
  readonly range: Signal<CellRange | undefined>;
}

const notInMemory = 'Some of these rows are not loaded. Scroll through them first, or export them as a file.';

export function cellCommands({ cells, active, range }: CommandOptions): CellCommands {
  const selected = () =>
    range.peek() === undefined ? areaAt(active.peek()) : areaOf(range.peek() as CellRange);

  function changed(result: Changed | undefined): void {
    if (result === undefined) return void tell(notInMemory);
    select(result.area);
    const text = leftText(result);
    if (text !== '') tell(text);
  }

  function select({ top, left, bottom, right }: Area): void {
    const [anchor, head] = [
      { row: top, column: left },
      { row: bottom, column: right },
    ];
    active.value = anchor;
    range.value = top === bottom && left === right ? undefined : { anchor, head };
  }

  function copy(data: DataTransfer): boolean {
    const block = readBlock(cells, selected());
    if (block === undefined) tell(notInMemory);
    else putOnClipboard(data, block);
    return block !== undefined;
  }

  const repeat = (source: Area, area: Area) => changed(repeatOver(cells, source, area));

  return {
    onClipboard(event) {
      const data = event.clipboardData;
      if (data === null || active.peek().row < 0) return;
      if (event.type === 'copy') copy(data);
      else if (!mayWrite.peek()) return;
      else if (event.type === 'cut') {
        if (copy(data)) changed(setAll(cells, selected(), undefined));
      } else {
        const pasted = readClipboard(data);
        if (pasted !== undefined) changed(pasteInto(cells, selected(), pasted));
      }
      event.preventDefault();
    },
    clear: () => changed(setAll(cells, selected(), undefined)),
    setAll: (json) => changed(setAll(cells, selected(), json)),
    fillDown() {
      const area = selected();
      const top = rowsOf(area) === 1 ? area.top - 1 : area.top;
      if (top >= 0) repeat({ ...area, top, bottom: top }, { ...area, top });
      // The row above was only read.
      if (!isOneCell(area) || top < area.top) select(area);
    },
    fillRight() {
      const area = selected();
      if (columnsOf(area) === 1) return false;
      repeat({ ...area, right: area.left }, area);
      return true;
    },
    fill(source, area, isRepeated) {
      if (isRepeated) repeat(source, area);
      else continueOver(cells, source, area).then(changed, tellFailure);
    },
  };
}

/** What was left as it was, for a person; empty if all was done. */
function leftText({ rowsLeft, itemsLeft, keysLeft, oddTexts }: Changed): string {
  return [
    rowsLeft > 0 && `Left out ${countOf(rowsLeft, 'row')} beyond the last loaded item`,
    itemsLeft > 0 && `Left out ${countOf(itemsLeft, 'item')}, whose JSON has a mistake`,
    keysLeft > 0 && `${countOf(keysLeft, 'key')} left: keys stay as they are`,
    oddTexts > 0 && `${countOf(oddTexts, 'text')} in columns of numbers`,
  ]
    .filter(Boolean)
    .join('. ');
}
