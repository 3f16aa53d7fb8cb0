import { useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../ui/button.js';
import { CheckField } from '../../ui/check-field.js';
import { Dialog } from '../../ui/dialog.js';
import { isPhone, isTouch } from '../../ui/media.js';
import { isCompact } from '../../ui/rows.js';
import { Select } from '../../ui/select.js';
import type { DateForm } from '../dates/date-value.js';
import { type Column, expiresName, shownName } from './columns.js';
import {
  datesOf,
  forgetLayout,
  hasLayout,
  inOrder,
  isHidden,
  moveColumn,
  setDateForm,
  setHidden,
} from './layout.js';
import { SortChoice } from './sort-choice.js';
import { Glyph } from './value.js';

interface ColumnsDialogProps {
  readonly base: string;
  readonly columns: readonly Column[];
  onClose(): void;
}

/** Columns that are listed at a time: more are found by typing. */
const maxShown = 200;

/** Which columns are shown, in which order, and which of them are dates. It is remembered for the base. */
export function ColumnsDialog({ base, columns, onClose }: ColumnsDialogProps) {
  const [text, setText] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const all = inOrder(base, columns);
  const found = all.filter(
    ({ name }) => name !== 'key' && shownName(name).toLowerCase().includes(text.trim().toLowerCase()),
  );
  const names = found.map(({ name }) => name);

  function move(name: string, before: string | undefined, way: 'up' | 'down'): void {
    moveColumn(base, all, name, before);
    // The button has moved with its row, and browsers take the focus from what is moved.
    requestAnimationFrame(() => {
      const row = list.current?.querySelector(`[data-name="${CSS.escape(name)}"]`);
      row?.querySelector<HTMLElement>(`[data-way="${way}"]`)?.focus();
    });
  }

  return (
    <Dialog title={isPhone.value ? 'Sort and columns' : 'Columns'} form="end" onClose={onClose}>
      <div class="stack columns-dialog">
        {isPhone.value && <SortChoice columns={all} />}
        <input
          class="input"
          type="search"
          aria-label="Find a column"
          placeholder="Find a column"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="row">
          <Button text="Show all" variant="quiet" onClick={() => setHidden(base, names, false)} />
          <Button text="Hide all" variant="quiet" onClick={() => setHidden(base, names, true)} />
          {hasLayout(base) && (
            <Button text="As at first" variant="quiet" onClick={() => forgetLayout(base)} />
          )}
          {!isTouch.value && (
            <CheckField
              class="row compact-choice"
              text="Compact rows"
              checked={isCompact.value}
              onChange={(checked) => {
                isCompact.value = checked;
              }}
            />
          )}
        </div>
        {found.length === 0 && <p class="hint">No column has this in its name.</p>}
        <ul ref={list} aria-label="Columns">
          {found.slice(0, maxShown).map((column) => (
            <ColumnLine key={column.name} base={base} column={column} all={all} onMove={move} />
          ))}
        </ul>
        {found.length > maxShown && (
          <p class="hint">{found.length - maxShown} more: type a part of the name.</p>
        )}
      </div>
    </Dialog>
  );
}

interface ColumnLineProps {
  readonly base: string;
  readonly column: Column;
  readonly all: readonly Column[];
  onMove(name: string, before: string | undefined, way: 'up' | 'down'): void;
}

function ColumnLine({ base, column: { name, kind }, all, onMove }: ColumnLineProps) {
  const at = all.findIndex((column) => column.name === name);
  const shown = shownName(name);
  return (
    <li class="column-line" data-name={name}>
      <label class="row column-name">
        <input
          type="checkbox"
          checked={!isHidden(base, name)}
          onChange={(event) => setHidden(base, [name], !event.currentTarget.checked)}
        />
        <span class="clip">{shown}</span>
        <Glyph kind={kind} />
      </label>
      {name !== expiresName && (kind === 'number' || kind === 'string') && (
        <DateChoice base={base} name={name} kind={kind} />
      )}
      <IconButton
        icon="arrow-up"
        label={`Move ${shown} up`}
        data-way="up"
        disabled={at <= 1}
        onClick={() => onMove(name, all[at - 1]?.name, 'up')}
      />
      <IconButton
        icon="arrow-down"
        label={`Move ${shown} down`}
        data-way="down"
        disabled={at === all.length - 1}
        onClick={() => onMove(name, all[at + 2]?.name, 'down')}
      />
    </li>
  );
}

const forms: Readonly<Record<'number' | 'string', readonly (readonly [DateForm, string])[]>> = {
  number: [
    ['seconds', 'Date, seconds'],
    ['milliseconds', 'Date, ms'],
  ],
  string: [['text', 'Date']],
};

interface DateChoiceProps {
  readonly base: string;
  readonly name: string;
  readonly kind: 'number' | 'string';
}

/** Whether the values of a column are shown and picked as dates. */
function DateChoice({ base, name, kind }: DateChoiceProps) {
  return (
    <Select
      class="kind-choice"
      aria-label={`Show ${shownName(name)} as`}
      value={datesOf(base).get(name) ?? ''}
      choices={[['', 'As stored'], ...forms[kind]]}
      onChoose={(form) => setDateForm(base, name, form === '' ? undefined : form)}
    />
  );
}
