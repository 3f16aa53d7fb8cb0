import { useState } from 'preact/hooks';
import { ActDialog } from '../../../ui/act-dialog.js';
import { CheckField } from '../../../ui/check-field.js';
import { countOf } from '../../../ui/format.js';
import { SelectField } from '../../../ui/select.js';
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

const delimiters: readonly (readonly [string, string])[] = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['\t', 'Tab'],
];

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
    <ActDialog
      title={`Export ${total === undefined ? 'items' : countOf(total, 'item')} as CSV`}
      verb="Export"
      icon="download"
      onAct={start}
      onClose={onClose}
    >
      <SelectField
        label="Columns"
        value={isAll ? 'all' : 'shown'}
        choices={[
          ['all', 'All attributes'],
          ['shown', `The ${countOf(names.length, 'column')} of the list`],
        ]}
        onChoose={(which) => setAll(which === 'all')}
      />
      <SelectField label="Between the cells" value={delimiter} choices={delimiters} onChoose={setDelimiter} />
      <CheckField text="For spreadsheets" checked={isForSpreadsheets} onChange={setForSpreadsheets} />
      <p class="hint">
        A text that a spreadsheet would run as a formula, such as =1+1, gets an apostrophe before it, and
        Excel finds the mark of UTF-8. An import here takes both away again. Lists and objects are JSON.
      </p>
    </ActDialog>
  );
}
