import { CheckField } from '../../../ui/check-field.js';
import { Select, SelectField } from '../../../ui/select.js';
import { TextInput } from '../../../ui/text-field.js';
import { visible } from '../../../ui/visible.js';
import { type ColumnType, type CsvPlan, type PlannedColumn, planFor } from './csv-plan.js';
import { type CsvForm, type CsvSample, delimiters } from './csv-reader.js';

const types: readonly (readonly [ColumnType, string])[] = [
  ['string', 'text'],
  ['number', 'number'],
  ['boolean', 'true or false'],
  ['json', 'JSON'],
  ['guess', 'what it looks like'],
  ['skip', 'leave out'],
];
const delimiterNames: Readonly<Record<string, string>> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Bar |',
};
const encodings = ['utf-8', 'windows-1252', 'utf-16le'];
/** Values of each column that are shown. */
const maxExamples = 3;
const maxColumns = 200;

interface CsvPlanFormProps {
  readonly sample: CsvSample;
  readonly plan: CsvPlan;
  /** Reads the file anew, with something that was guessed otherwise. */
  onForm(form: Partial<CsvForm>): void;
  onPlan(plan: CsvPlan): void;
}

/** How a table is read, and what its columns become, with examples. */
export function CsvPlanForm({ sample, plan, onForm, onPlan }: CsvPlanFormProps) {
  const { columns, keyColumn, hasHeader } = plan;
  const rows = (hasHeader ? sample.rows.slice(1) : sample.rows).slice(0, maxExamples);
  const change = (at: number, changes: Partial<PlannedColumn>) =>
    onPlan({
      ...plan,
      columns: columns.map((column, other) => (other === at ? { ...column, ...changes } : column)),
    });
  return (
    <>
      <div class="csv-form">
        <SelectField
          label="Between the cells"
          value={plan.form.delimiter}
          choices={withGuessed(
            plan.form.delimiter,
            delimiters.map((one) => [one, delimiterNames[one] ?? one]),
          )}
          onChoose={(delimiter) => onForm({ delimiter })}
        />
        <SelectField
          label="Characters"
          value={plan.form.encoding}
          choices={withGuessed(
            plan.form.encoding,
            encodings.map((one) => [one, one.toUpperCase()]),
          )}
          onChoose={(encoding) => onForm({ encoding })}
        />
        <SelectField
          label="Keys are in"
          value={String(keyColumn ?? '')}
          choices={[
            ['', 'no column: they are generated'],
            ...columns.map(({ name }, at) => [String(at), visible(name)] as const),
          ]}
          onChoose={(at) => onPlan({ ...plan, keyColumn: at === '' ? undefined : Number(at) })}
        />
      </div>
      <CheckField
        text="The first line has the names of the columns"
        checked={hasHeader}
        onChange={(checked) => onPlan(planFor(sample, checked))}
      />
      <table class="table csv-columns">
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Type</th>
            <th scope="col">Examples</th>
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, maxColumns).map((column, at) => (
            <ColumnLine
              // Its place is what it is.
              key={String(at)}
              column={column}
              isKey={at === keyColumn}
              examples={rows.map((row) => row[at] ?? '')}
              onChange={(changes) => change(at, changes)}
            />
          ))}
        </tbody>
      </table>
      {columns.length > maxColumns && (
        <p class="hint">{columns.length - maxColumns} more columns have the types that they seem to have.</p>
      )}
    </>
  );
}

interface ColumnLineProps {
  readonly column: PlannedColumn;
  readonly isKey: boolean;
  readonly examples: readonly string[];
  onChange(changes: Partial<PlannedColumn>): void;
}

function ColumnLine({ column: { name, type }, isKey, examples, onChange }: ColumnLineProps) {
  return (
    <tr>
      <td>
        <TextInput
          class="input mono"
          aria-label="Name of the attribute"
          value={isKey ? 'key' : name}
          disabled={isKey || type === 'skip'}
          onInput={(text) => onChange({ name: text })}
        />
      </td>
      <td>
        {isKey ? (
          <span class="meta">the key</span>
        ) : (
          <Select
            aria-label={`Type of ${name}`}
            value={type}
            choices={types}
            onChoose={(chosen) => onChange({ type: chosen })}
          />
        )}
      </td>
      <td class={type === 'skip' && !isKey ? 'mono clip meta' : 'mono clip'} title={examples.join('\n')}>
        {examples.map(visible).join(' · ')}
      </td>
    </tr>
  );
}

/** The choices, with a value that was guessed and is not among them. */
function withGuessed(value: string, choices: readonly (readonly [string, string])[]) {
  return choices.some(([one]) => one === value) ? choices : [[value, visible(value)] as const, ...choices];
}
