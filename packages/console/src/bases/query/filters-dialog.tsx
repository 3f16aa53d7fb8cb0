import { useState } from 'preact/hooks';
import { route, stepTo } from '../../router.js';
import { Button, IconButton } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Form } from '../../ui/form.js';
import { TextInput } from '../../ui/text-field.js';
import { visible } from '../../ui/visible.js';
import {
  type Asked,
  filtersOf,
  filterWords,
  forgetAsked,
  forgetFilter,
  type SavedFilter,
  saveFilter,
} from './filters.js';
import { everything } from './model.js';

interface FiltersDialogProps {
  readonly base: string;
  onClose(): void;
}

/** The filters of a base: those that were given names, and what was asked last. The device remembers them. */
export function FiltersDialog({ base, onClose }: FiltersDialogProps) {
  const { query = '', order = '' } = route.value.parameters;
  const { saved, recent } = filtersOf(base);
  const present = { query: query === everything ? '' : query, order };
  const hasPresent = present.query !== '' || order !== '';
  const apply = ({ query: asked, order: sorted }: Asked) => {
    onClose();
    stepTo({ query: asked, order: sorted });
  };
  return (
    <Dialog title="Filters" form="end" onClose={onClose}>
      <div class="stack filters">
        {hasPresent && <SaveForm base={base} present={present} saved={saved} />}
        <h3>Saved</h3>
        {saved.length === 0 && (
          <p class="hint">
            {hasPresent
              ? 'Give the present filter a name.'
              : 'Filter the items first; then give it a name here.'}
          </p>
        )}
        <ul aria-label="Saved filters">
          {saved.map((filter) => (
            <li key={filter.name} class="filter-line">
              <button type="button" class="filter-choice" onClick={() => apply(filter)}>
                <span class="clip">{visible(filter.name)}</span>
                <span class="meta mono clip">{visible(filterWords(filter.query, filter.order))}</span>
              </button>
              <IconButton
                icon="trash"
                label={`Forget ${filter.name}`}
                onClick={() => forgetFilter(base, filter.name)}
              />
            </li>
          ))}
        </ul>
        <h3>Last asked</h3>
        {recent.length === 0 && <p class="hint">Nothing yet.</p>}
        <ul aria-label="Last asked">
          {recent.map((asked) => (
            <li key={JSON.stringify(asked)} class="filter-line">
              <button type="button" class="filter-choice" onClick={() => apply(asked)}>
                <span class="mono clip">{visible(filterWords(asked.query, asked.order))}</span>
              </button>
            </li>
          ))}
        </ul>
        {recent.length > 0 && (
          <div class="row">
            <Button text="Forget what was asked" variant="quiet" onClick={() => forgetAsked(base)} />
          </div>
        )}
      </div>
    </Dialog>
  );
}

interface SaveFormProps {
  readonly base: string;
  readonly present: Asked;
  readonly saved: readonly SavedFilter[];
}

function SaveForm({ base, present, saved }: SaveFormProps) {
  const [name, setName] = useState('');
  const isTaken = saved.some((filter) => filter.name === name.trim());
  return (
    <Form
      class="save-filter"
      label="Save the present filter"
      onSubmit={() => {
        if (name.trim() === '') return;
        saveFilter(base, { ...present, name: name.trim() });
        setName('');
      }}
    >
      <span class="mono meta clip">{visible(filterWords(present.query, present.order))}</span>
      <span class="row">
        <TextInput
          aria-label="Name of the present filter"
          placeholder="Name of the present filter"
          maxLength={100}
          value={name}
          onInput={setName}
        />
        <Button text={isTaken ? 'Replace' : 'Save'} type="submit" disabled={name.trim() === ''} />
      </span>
    </Form>
  );
}
