import { countOf } from '../ui/format.js';
import { tell, tellFailure } from '../ui/toast.js';
import { inTransactions } from './base-api.js';
import type { Listing } from './listing.js';
import type { Row } from './row.js';

/**
 * Deletes items and offers to put them back as they were. An item that somebody has stored again meanwhile is not
 * overwritten.
 */
export async function deleteItems(base: string, rows: readonly Row[], listing: Listing): Promise<void> {
  await inTransactions(
    base,
    rows.map(({ key }) => `{"delete":{"key":${JSON.stringify(key)}}}`),
  );
  listing.replace(new Map(rows.map(({ key }) => [key, undefined])));
  tell(`Deleted ${countOf(rows.length, 'item')}`, {
    label: 'Undo',
    run: () => {
      putBack(base, rows, listing).catch(tellFailure);
    },
  });
}

async function putBack(base: string, rows: readonly Row[], listing: Listing): Promise<void> {
  await inTransactions(
    base,
    rows.map(({ text }) => `{"insert":${text}}`),
  );
  for (const row of rows.toReversed()) listing.prepend(row);
  tell(`Put back ${countOf(rows.length, 'item')}`);
}
