import type { Row } from '../../row.js';
import { ValueOrNone } from '../../value.js';
import { applyUpdate } from './apply.js';
import { type Change, changedNames } from './changes.js';

/** What becomes of one of the items. */
export function UpdateExample({ row, changes }: { readonly row: Row; readonly changes: readonly Change[] }) {
  const after = applyUpdate(row, changes);
  return (
    <section class="review-item" aria-label="Example">
      <header class="row">
        <h3 class="clip">
          For example <span class="mono">{row.key}</span>
        </h3>
      </header>
      {'problem' in after ? (
        <p class="hint example-problem">This item would stay as it is: {after.problem}.</p>
      ) : (
        <table class="review-table">
          <thead>
            <tr>
              <th scope="col">Attribute</th>
              <th scope="col">Is</th>
              <th scope="col">Becomes</th>
            </tr>
          </thead>
          <tbody>
            {changedNames(changes).map((name) => (
              <tr key={name}>
                <th scope="row" class="clip">
                  {name}
                </th>
                <td>
                  <ValueOrNone json={row.attributes.get(name)} />
                </td>
                <td class="staged">
                  <ValueOrNone json={after.row.attributes.get(name)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
