import { explain, statusOf } from '../api/errors.js';
import { mayWrite } from '../api/own-key.js';
import { stepTo } from '../router.js';
import { Button } from '../ui/button.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import type { BaseProps } from './actions.js';
import { everything, inAnyCase } from './query/model.js';
import { ItemGrid } from './view/item-grid.js';

/** The items as a table, or why there are none to see. */
export function Items({ view, actions }: BaseProps) {
  const { listing, request, readAgain } = view;
  const state = listing.state.value;
  if (listing.rows.value.length > 0) return <ItemGrid view={view} actions={actions} />;
  const isQuery = request.query !== everything;
  if (state === 'failed') {
    const cause = listing.failure.value;
    if (isQuery && statusOf(cause) === 400) return <RefusedQuery cause={cause} />;
    return <ErrorState cause={cause} onRetry={readAgain} />;
  }
  if (state !== 'complete') return <LoadingRows rows={24} />;
  if (isQuery) return <NoMatch query={request.query} />;
  return request.from === '' ? <EmptyBase view={view} actions={actions} /> : <NothingFrom />;
}

function NoMatch({ query }: { readonly query: string }) {
  const other = inAnyCase(query);
  const actions = (
    <>
      {other !== undefined && <Button text="Search in any case" onClick={() => stepTo({ query: other })} />}
      <RemoveConditions />
    </>
  );
  return (
    <EmptyState icon="search" title="No item matches" actions={actions}>
      Click a condition above to change it.
    </EmptyState>
  );
}

function RefusedQuery({ cause }: { readonly cause: unknown }) {
  return (
    <EmptyState icon="circle-alert" title="The service refused this query" actions={<RemoveConditions />}>
      {explain(cause)}
    </EmptyState>
  );
}

function RemoveConditions() {
  return <Button text="Remove all conditions" onClick={() => stepTo({ query: '' })} />;
}

function NothingFrom() {
  return (
    <EmptyState
      icon="search"
      title="There are no more keys"
      actions={<Button text="Show from the first key" onClick={() => stepTo({ from: '' })} />}
    />
  );
}

function EmptyBase({ view, actions }: BaseProps) {
  return (
    <EmptyState
      icon="database"
      title="No items yet"
      actions={
        mayWrite.value && (
          <>
            <Button text="Add an item" variant="primary" icon="plus" onClick={() => actions.addItem()} />
            <Button text="Import a file" icon="upload" onClick={() => view.open('import')} />
          </>
        )
      }
    >
      Items are JSON objects. Each has a key, and whatever other attributes you give it. The base is stored
      with its first item.
    </EmptyState>
  );
}
