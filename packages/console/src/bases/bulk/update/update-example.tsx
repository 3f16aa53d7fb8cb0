import { visible } from '../../../ui/visible.js';
import type { Row } from '../../view/row.js';
import { ValueTable } from '../../view/value-table.js';
import { applyUpdate } from './apply.js';
import { type Change, changedNames } from './changes.js';

/** What becomes of one of the items. */
export function UpdateExample({ row, changes }: { readonly row: Row; readonly changes: readonly Change[] }) {
  const after = applyUpdate(row, changes);
  return (
    <section class="review-item" aria-label="Example">
      <header class="row">
        <h3 class="clip">
          For example <span class="mono">{visible(row.key)}</span>
        </h3>
      </header>
      {'problem' in after ? (
        <p class="hint example-problem">This item would stay as it is: {after.problem}.</p>
      ) : (
        <ValueTable
          heads={['Is', 'Becomes']}
          rows={changedNames(changes).map((name) => ({
            name,
            values: [row.attributes.get(name), after.row.attributes.get(name)],
          }))}
        />
      )}
    </section>
  );
}
