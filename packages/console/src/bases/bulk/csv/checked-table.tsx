import { countOf } from '../../../ui/format.js';
import { FailedLines } from '../import-result.js';
import type { Checked } from './check-csv.js';

interface CheckedTableProps {
  readonly checked: Checked;
  readonly isReplacing: boolean;
}

/** What an import would do, before it is done. */
export function CheckedTable({ checked, isReplacing }: CheckedTableProps) {
  const { items, failed, lines, taken, repeated } = checked;
  return (
    <div class="stack" role="status">
      <p>
        {countOf(items, 'line')} can be stored
        {failed > 0 && `, ${countOf(failed, 'line')} cannot`}.
        {taken !== undefined &&
          taken > 0 &&
          ` ${countOf(taken, 'key is', 'keys are')} stored already: ${isReplacing ? 'these items are replaced' : 'these lines are refused'}.`}
        {repeated > 0 &&
          ` ${countOf(repeated, 'line has', 'lines have')} the key of a line before: the last one counts.`}
      </p>
      <FailedLines lines={lines} failed={failed} label="Lines that cannot be stored" />
    </div>
  );
}
