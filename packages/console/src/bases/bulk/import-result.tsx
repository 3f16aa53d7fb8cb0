import { countOf } from '../../ui/format.js';
import type { FailedLine, Imported } from './import-request.js';

/** Refused lines that are listed. */
const shownLines = 100;

interface ResultProps {
  readonly result: Imported;
  readonly isStopped: boolean;
}

/** What was stored, and which lines were refused. */
export function ImportResult({ result: { stored, failed, lines }, isStopped }: ResultProps) {
  return (
    <div class="stack" role="status">
      <p>
        {isStopped && 'Stopped. '}Stored {countOf(stored, 'item')}.{' '}
        {failed === 0 ? 'No line was refused.' : `Refused ${countOf(failed, 'line')}.`}
      </p>
      <FailedLines lines={lines} failed={failed} label="Refused lines" />
    </div>
  );
}

interface FailedLinesProps {
  readonly lines: readonly FailedLine[];
  /** The number of all of them. */
  readonly failed: number;
  readonly label: string;
}

/** Lines and what is wrong with them. */
export function FailedLines({ lines, failed, label }: FailedLinesProps) {
  if (lines.length === 0) return null;
  return (
    <>
      <table class="table failed-lines" tabIndex={0} aria-label={label}>
        <thead>
          <tr>
            <th scope="col" class="line-number">
              Line
            </th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, shownLines).map(({ line, errors }) => (
            <tr key={line}>
              <td class="mono">{line}</td>
              <td>{errors.join('; ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {failed > shownLines && (
        <p class="meta">{countOf(failed - Math.min(shownLines, lines.length), 'more line')}</p>
      )}
    </>
  );
}
