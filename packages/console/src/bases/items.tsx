import { mayWrite } from '../api/own-key.js';
import { setParameters } from '../router.js';
import { Button } from '../ui/button.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import type { Actions } from './actions.js';
import type { BaseView } from './base-view.js';
import { hiddenNames } from './column-menu.js';
import { ItemGrid } from './item-grid.js';
import { everything } from './query/model.js';

interface ItemsProps {
  readonly view: BaseView;
  readonly actions: Actions;
}

/** The items as a table, or why there are none to see. */
export function Items({ view, actions }: ItemsProps) {
  const { base, listing, request, columns, selection, staged, readAgain } = view;
  const state = listing.state.value;
  if (listing.rows.value.length > 0) {
    const hidden = hiddenNames();
    return (
      <ItemGrid
        base={base}
        listing={listing}
        columns={columns.filter(({ name }) => !hidden.includes(name))}
        selection={selection}
        staged={staged}
        onOpenItem={actions.openItem}
        onDelete={actions.deleteSelected}
      />
    );
  }
  if (state === 'failed') return <ErrorState cause={listing.failure.value} onRetry={readAgain} />;
  if (state !== 'complete') return <LoadingRows />;
  return request.query === everything ? <EmptyBase onAdd={() => actions.addItem()} /> : <NoMatch />;
}

function NoMatch() {
  return (
    <EmptyState
      icon="search"
      title="No item matches"
      actions={<Button onClick={() => setParameters({ query: '' })}>Remove all conditions</Button>}
    />
  );
}

function EmptyBase({ onAdd }: { onAdd(): void }) {
  return (
    <EmptyState
      icon="database"
      title="No items yet"
      actions={
        mayWrite.value && (
          <Button variant="primary" icon="plus" onClick={onAdd}>
            Add an item
          </Button>
        )
      }
    >
      Items are JSON objects. Each has a key, and whatever other attributes you give it.
    </EmptyState>
  );
}
