import { headerKey, type ScannedRow } from '../../engines/item-store.js';
import { headerChange } from './building/background-work.js';
import { declared, readDeclarations } from './declarations/declarations.js';
import { firstItemKey } from './entries/entries.js';

/**
 * The row that a copy of a base has in place of this one; undefined if it has none. A copy is not made at one moment, so
 * its entries would not be those of its items. It has the declarations only, and the server that opens it builds the
 * indexes.
 */
export function rowInCopy(row: ScannedRow): ScannedRow | undefined {
  if (row.key >= firstItemKey) return row;
  if (row.key !== headerKey) return undefined;
  const declarations = readDeclarations(row.value);
  const wanted = declared(declarations).map((index) =>
    index.state === 'failed' ? index : { ...index, state: 'building' as const },
  );
  return headerChange({ ...declarations, indexes: wanted }).puts?.[0];
}
