import { bases } from '../api/catalog.js';
import { tell, tellFailure } from '../ui/toast.js';
import type { Actions } from './actions.js';
import type { BaseView } from './base-view.js';
import { saveMatches, saveRows } from './bulk/export.js';
import { walkMatches } from './bulk/matches.js';
import { deleteActions, deletionIn } from './delete-actions.js';
import { deleteItems } from './delete-items.js';
import { noteChanges } from './history/session-history.js';
import { itemActions } from './item-actions.js';
import { matchesOf } from './listing/matching.js';
import { saveActions } from './save-actions.js';
import type { Row } from './view/row.js';

/** The actions on what a screen shows. */
export function actionsOn(view: BaseView): Actions {
  const { base, request, listing, selection, shown } = view;
  const { query } = request;
  const opening = itemActions(view);
  const deleting = deleteActions(view, opening.openItem);

  function onAdded(row: Row, { isOpen }: { readonly isOpen: boolean }): void {
    noteChanges(base, [{ key: row.key, after: row.text }]);
    if (listing.rows.peek().length === 0) void bases.reload();
    shown().refresh();
    if (isOpen) opening.openItem(row.key);
    const undo = {
      what: 'adding',
      run: () => {
        deleteItems({ ...deletionIn(view), items: async () => [row] }).catch(tellFailure);
      },
    };
    const tellAdded = (note: string) => tell(`Added 1 item${note}`, { undo, of: base });
    matchesOf(base, query, [row.key]).then(
      ({ size }) => tellAdded(size > 0 ? '' : ', which does not match the query'),
      () => tellAdded(''),
    );
  }

  const updateMatches = () => view.open({ update: { query } });

  return {
    ...opening,
    ...saveActions(view, opening.openItem),
    ...deleting,
    onAdded,
    deleteSelected() {
      if (selection.isAll.peek()) deleting.deleteMatches();
      else deleting.askToDelete(selection.keys.peek());
    },
    updateSelected() {
      const keys = selection.keys.peek();
      if (selection.isAll.peek()) updateMatches();
      else view.open({ update: { count: keys.size, read: (signal) => listing.read(keys, signal) } });
    },
    exportSelected() {
      const keys = selection.keys.peek();
      if (selection.isAll.peek()) void saveMatches(request, listing.total.peek());
      else void saveRows(base, (signal) => listing.read(keys, signal));
    },
    askForTable(of) {
      const keys = selection.keys.peek();
      const isAll = of === 'matches' || selection.isAll.peek();
      const total = isAll ? listing.total.peek() : keys.size;
      const read = (signal: AbortSignal) =>
        isAll ? walkMatches(base, query, { limit: 1000, signal }) : onePage(listing.read(keys, signal));
      view.open({ table: { total, read } });
    },
    updateMatches,
  };
}

async function* onePage<Page>(page: Promise<Page>): AsyncGenerator<Page> {
  yield await page;
}
