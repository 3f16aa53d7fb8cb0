import { visibleName } from '../../ui/visible.js';
import { ValueOrNone } from './value.js';

interface ValueTableProps {
  /** What the values of each row are. The last ones are those that come. */
  readonly heads: readonly string[];
  readonly rows: readonly AttributeValues[];
}

interface AttributeValues {
  readonly name: string;
  /** JSON texts; undefined where there is no such attribute. */
  readonly values: readonly (string | undefined)[];
}

/** Attributes with their values side by side, before and after a change. */
export function ValueTable({ heads, rows }: ValueTableProps) {
  return (
    <table class="value-table">
      <thead>
        <tr>
          <th scope="col">Attribute</th>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{visibleName(name)}</th>
            {values.map((json, at) => (
              <td key={heads[at]} class={at === heads.length - 1 ? 'staged' : undefined}>
                <ValueOrNone json={json} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
