import { useState } from 'preact/hooks';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { countOf } from '../../../ui/format.js';
import { exportTable, type ReadPages } from './export-table.js';

/** What is exported as a table. */
export interface TableTarget {
  /** The number of items, if it is known. */
  readonly total: number | undefined;
  readonly read: ReadPages;
}

interface ExportDialogProps {
  readonly base: string;
  readonly target: TableTarget;
  /** The columns that are shown, in their order. */
  readonly names: readonly string[];
  onClose(): void;
}

/** How items are saved as a table. */
export function ExportDialog({ base, target: { total, read }, names, onClose }: ExportDialogProps) {
  const [isAll, setAll] = useState(true);
  const [delimiter, setDelimiter] = useState(',');
  const [isForSpreadsheets, setForSpreadsheets] = useState(true);
  function start(): void {
    onClose();
    void exportTable({ base, read, total, names, isAll, delimiter, isForSpreadsheets });
  }
  return (
    <Dialog
      title={`Export ${total === undefined ? 'items' : countOf(total, 'item')} as CSV`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" icon="download" onClick={start}>
            Export
          </Button>
        </>
      }
    >
      <div class="stack">
        <label class="field">
          <span>Columns</span>
          <select
            class="input"
            value={isAll ? 'all' : 'shown'}
            onChange={(event) => setAll(event.currentTarget.value === 'all')}
          >
            <option value="all">All attributes</option>
            <option value="shown">{`The ${countOf(names.length, 'column')} of the list`}</option>
          </select>
        </label>
        <label class="field">
          <span>Between the cells</span>
          <select
            class="input"
            value={delimiter}
            onChange={(event) => setDelimiter(event.currentTarget.value)}
          >
            <option value=",">Comma</option>
            <option value=";">Semicolon</option>
            <option value={'\t'}>Tab</option>
          </select>
        </label>
        <label class="row">
          <input
            type="checkbox"
            checked={isForSpreadsheets}
            onChange={(event) => setForSpreadsheets(event.currentTarget.checked)}
          />
          For spreadsheets
        </label>
        <p class="hint">
          A text that a spreadsheet would run as a formula, such as =1+1, gets an apostrophe before it, and
          Excel finds the mark of UTF-8. An import here takes both away again. Lists and objects are JSON.
        </p>
      </div>
    </Dialog>
  );
}
