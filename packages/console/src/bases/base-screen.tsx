import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CellRange } from '../grid/cell-range.js';
import { createSelection } from '../grid/selection.js';
import { keptPlace, route, setParameters, type ViewState } from '../router.js';
import { useIsOpen } from '../ui/is-open.js';
import { lazy } from '../ui/lazy.js';
import { usePageActions } from '../ui/page-actions.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { actionsOn } from './actions-on.js';
import { baseActions } from './base-actions.js';
import type { BaseDialog, BaseView, NewItemStart } from './base-view.js';
import { useCells } from './cells/use-cells.js';
import { Dialogs } from './dialogs.js';
import { StagedBar } from './edit/staged-bar.js';
import { stagedOf } from './edit/staged-stores.js';
import { Inspector } from './inspector/inspector.js';
import { Items } from './items.js';
import { useListing } from './listing/use-listing.js';
import { readOrder } from './order.js';
import { noteAsked } from './query/filters.js';
import { everything } from './query/model.js';
import { QueryBar } from './query/query-bar.js';
import { BaseHead } from './view/base-head.js';
import { createColumns } from './view/columns.js';
import { Footer } from './view/footer.js';
import { WaitingBar } from './view/waiting-bar.js';

const NewItem = lazy(async () => (await import('./inspector/new-item.js')).NewItem);

/** The items of a base: look at them, query them, change them. */
export function BaseScreen({ base }: { readonly base: string }) {
  const { item = '' } = route.value.parameters;
  const view = useBaseView(base);
  const { staged, newItem } = view;
  const actions = actionsOn(view);
  useShortcuts({
    'mod+s': () => void actions.save(),
    'mod+z': () => staged.undo(),
    Escape: () => actions.openItem(''),
  });

  usePageActions(() => baseActions(view, actions));
  const stagedBar = <StagedBar view={view} actions={actions} />;

  return (
    <div class="with-inspector">
      <div class="screen">
        <BaseHead view={view} actions={actions} />
        <QueryBar view={view} />
        {view.isWaiting && <WaitingBar view={view} />}
        <Items view={view} actions={actions} />
        {stagedBar}
        <Footer view={view} actions={actions} />
      </div>
      {newItem.value !== undefined && (
        <NewItem key={JSON.stringify(newItem.value)} view={view} actions={actions} start={newItem.value} />
      )}
      {item !== '' && newItem.value === undefined && (
        <Inspector view={view} actions={actions} itemKey={item} foot={stagedBar} />
      )}
      <Dialogs view={view} actions={actions} />
    </div>
  );
}

/** What the address says is to be seen of a base, and what is open over it. */
function useBaseView(base: string): BaseView {
  const { query = everything, order = '', from = '' } = route.value.parameters;
  const request = useMemo(() => ({ base, query, from, ...readOrder(order) }), [base, query, order, from]);
  const { listing, shown, isWaiting, readAgain } = useListing(request);
  const shownParameters = useRef({ query: '', order: '', from: '' });
  if (!isWaiting) shownParameters.current = { query: query === everything ? '' : query, order, from };
  const rows = listing.rows.value;
  const readColumns = useMemo(() => createColumns(), []);
  const { request: asked } = listing;
  const columns = useMemo(
    () => readColumns({ rows, subject: JSON.stringify([asked.query, asked.from]) }),
    [rows, asked, readColumns],
  );
  useEffect(() => noteAsked(base, { query: query === everything ? '' : query, order }), [base, query, order]);
  const selection = useMemo(() => createSelection(), []);
  // What was selected may not match another query. Back, and a reload, select what was selected there.
  useEffect(() => selection.restore(keptPlace()?.selected ?? []), [query]);
  const staged = useMemo(() => stagedOf(base), [base]);
  const cells = useCells(base, listing, columns.shown);
  const range = useSignal<CellRange | undefined>(undefined);
  const dialog = useSignal<BaseDialog | undefined>(dialogOf(route.peek().parameters));
  useEffect(() => {
    // Closed, it stays closed at a reload.
    if (dialog.peek() !== undefined) setParameters({ indexes: '', profile: '' });
  }, []);
  const newItem = useSignal<NewItemStart | undefined>(undefined);
  const isSaving = useSignal(false);
  const search = useSignal<string | undefined>(undefined);
  const isShown = useIsOpen();
  return {
    base,
    request,
    listing,
    shown,
    isWaiting,
    shownParameters: shownParameters.current,
    columns,
    cells,
    selection,
    range,
    staged,
    dialog,
    open(next) {
      dialog.value = next;
    },
    newItem,
    isSaving,
    search,
    readAgain,
    isShown,
  };
}

/** The dialog that a link asks for: `indexes=city, total`, or `profile=true`. */
function dialogOf({ indexes = '', profile = '' }: ViewState): BaseDialog | undefined {
  if (indexes !== '') return { indexes };
  return profile === '' ? undefined : 'profile';
}
