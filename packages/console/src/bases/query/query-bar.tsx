import { useId } from 'preact/hooks';
import { route, stepTo } from '../../router.js';
import { IconButton } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import type { BaseView } from '../base-view.js';
import { mismatchOf } from './mismatch.js';
import { everything, readQuery, removeCondition } from './model.js';
import { QueryPills } from './query-pills.js';
import { Suggestions } from './suggestions.js';
import { useTyping } from './use-typing.js';

/** The query as pills, and a field to type the next condition. `/` leads to it. */
export function QueryBar({ view }: { readonly view: BaseView }) {
  const { query = everything, from = '' } = route.value.parameters;
  const groups = readQuery(query);
  const typing = useTyping(view, groups);
  const { suggestions, chosen, problem, example } = typing;
  const id = useId();
  const mismatch = groups
    ?.flat()
    .map((condition) => mismatchOf(condition, view.columns.known))
    .find(Boolean);
  return (
    <div class="query" role="search" aria-label="Query">
      <div class="query-bar">
        <button
          type="button"
          class="button icon-button quiet filters-opener"
          title="Filters"
          onClick={() => view.open('filters')}
        >
          <Icon name="filter" />
          <span class="hidden-label">Filters</span>
        </button>
        <QueryPills
          from={from}
          groups={groups}
          onRemoveFrom={() => {
            stepTo({ from: '' });
            typing.field.current?.focus();
          }}
          onEdit={typing.reopen}
          onRemove={(group, at) => typing.apply(removeCondition(groups ?? [], group, at))}
        />
        {typing.isOr && <span class="joint">or</span>}
        <input
          ref={typing.field}
          class="query-field"
          role="combobox"
          aria-label="Add a condition"
          aria-expanded={suggestions.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={problem !== undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={
            query === everything ? (example === undefined ? 'Filter' : `Filter: ${example}`) : 'and …, or …'
          }
          value={typing.text}
          onInput={(event) => typing.change(event.currentTarget.value)}
          onFocus={() => typing.setOpen(true)}
          onBlur={() => typing.setOpen(false)}
          onKeyDown={typing.onKeyDown}
        />
        {query !== everything && (
          <IconButton icon="x" label="Remove all conditions" onClick={() => typing.apply([])} />
        )}
        <button
          type="button"
          class="button quiet code-button"
          title="The query as JSON and code"
          onClick={() => view.open('query')}
        >
          <span aria-hidden="true">{'{ }'}</span>
          <span class="hidden-label">The query as JSON and code</span>
        </button>
      </div>
      <Suggestions id={id} suggestions={suggestions} chosen={chosen} onChoose={typing.choose} />
      {problem !== undefined && (
        <p class="problem query-problem" role="alert">
          {problem}
        </p>
      )}
      {problem === undefined && mismatch !== undefined && (
        <p class="hint query-problem" role="status">
          {mismatch}
        </p>
      )}
    </div>
  );
}
