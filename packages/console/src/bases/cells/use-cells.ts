import { useMemo } from 'preact/hooks';
import { stagedOf } from '../edit/staged-stores.js';
import type { Listing } from '../listing/listing.js';
import type { Column } from '../view/columns.js';
import { datesOf, inOrder, isHidden } from '../view/layout.js';
import type { Cells } from './cells.js';

/** The cells of a listing in the columns that are shown: the same object while these are the same. */
export function useCells(base: string, { rows }: Listing, columns: readonly Column[]): Cells {
  const shown = inOrder(base, columns).filter(({ name }) => !isHidden(base, name));
  const dates = datesOf(base);
  const asText = JSON.stringify([shown.map(({ name, width, kind }) => [name, width, kind]), [...dates]]);
  return useMemo(() => ({ rows, columns: shown, staged: stagedOf(base), dates }), [base, rows, asText]);
}
