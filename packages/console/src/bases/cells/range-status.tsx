import { kindOf } from '../../exact/scan.js';
import { type Area, areaOf, type CellRange, columnsOf, rowsOf } from '../../grid/cell-range.js';
import { countOf } from '../../ui/format.js';
import { addDecimals, divideDecimal } from '../bulk/update/decimal.js';
import { type Cells, readBlock } from './cells.js';

interface RangeStatusProps {
  readonly cells: Cells;
  readonly range: CellRange | undefined;
}

/** Cells whose sum is shown: more take longer than a frame. */
const maxSummed = 20_000;
/** Numbers with a larger exponent are not summed digit by digit. */
const maxExponent = 400;
/** Characters of a sum that is shown as it is; a longer one is rounded. */
const maxShown = 24;
const rounded = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** How many cells are selected, for screen readers, too; and the sum and the average of their numbers, digit by digit. */
export function RangeStatus({ cells, range }: RangeStatusProps) {
  const area = range === undefined ? undefined : areaOf(range);
  return (
    <span class="range-status clip" role="status">
      {area !== undefined && (
        <>
          {countOf(rowsOf(area), 'row')} × {countOf(columnsOf(area), 'column')}
          <Sum cells={cells} area={area} />
        </>
      )}
    </span>
  );
}

function Sum({ cells, area }: { readonly cells: Cells; readonly area: Area }) {
  // Staged values count.
  void cells.staged.items.value;
  const numbers = rowsOf(area) * columnsOf(area) > maxSummed ? [] : numbersIn(cells, area);
  if (numbers.length < 2) return null;
  const sum = numbers.reduce(addDecimals);
  return (
    <>
      {' · '}Sum {sum.length > maxShown ? about(Number(sum)) : sum} · Average{' '}
      {sum.length > maxShown ? about(Number(sum) / numbers.length) : divideDecimal(sum, numbers.length)}
    </>
  );
}

const about = (number: number) => `≈ ${rounded.format(number)}`;

function numbersIn(cells: Cells, area: Area): readonly string[] {
  const block = readBlock(cells, area) ?? [];
  return block
    .flat()
    .filter((json) => json !== undefined)
    .filter(
      (json) => kindOf(json) === 'number' && Math.abs(Number(/e(.*)$/i.exec(json)?.[1] ?? 0)) < maxExponent,
    );
}
