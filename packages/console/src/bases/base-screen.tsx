import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { bases } from '../api/catalog.js';
import { mayWrite } from '../api/own-key.js';
import { route, setParameters } from '../router.js';
import { Button } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { tell, tellFailure } from '../ui/toast.js';
import { BaseHead } from './base-head.js';
import { askToDeleteMatches } from './bulk/delete-matches.js';
import { saveRows } from './bulk/export.js';
import { ImportDialog } from './bulk/import-dialog.js';
import { hiddenNames } from './column-menu.js';
import { createColumns } from './columns.js';
import { deleteItems } from './delete-items.js';
import { Review } from './edit/review.js';
import { saveStaged } from './edit/save.js';
import { StagedBar } from './edit/staged-bar.js';
import { stagedOf } from './edit/staged-stores.js';
import { Footer } from './footer.js';
import { Inspector } from './inspector/inspector.js';
import { NewItem } from './inspector/new-item.js';
import { ItemGrid } from './item-grid.js';
import { openListing } from './listing.js';
import { copyOf, templateOf } from './new-text.js';
import { readOrder } from './order.js';
import { everything } from './query/model.js';
import { QueryBar } from './query/query-bar.js';
import { QueryCode } from './query/query-code.js';
import type { Row } from './row.js';
import { createSelection } from './selection.js';

type Overlay = 'review' | 'query' | 'import';

/** The items of a base: look at them, query them, change them. */
export function BaseScreen({ base }: { readonly base: string }) {
  const { query = everything, order = '', item = '' } = route.value.parameters;
  const attempt = useSignal(0);
  const request = useMemo(() => ({ base, query, ...readOrder(order) }), [base, query, order]);
  // `attempt` reads everything again.
  const opened = useMemo(() => openListing(request), [request, attempt.value]);
  // The rows before stay in view until the first page is there.
  const before = useRef(opened);
  const isFirstPageThere =
    opened.rows.value.length > 0 || ['complete', 'failed'].includes(opened.state.value);
  if (isFirstPageThere) before.current = opened;
  const listing = before.current;
  const selection = useMemo(() => createSelection(), []);
  const staged = useMemo(() => stagedOf(base), [base]);
  const overlay = useSignal<Overlay | undefined>(undefined);
  const newText = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  const readColumns = useMemo(() => createColumns(), []);
  const rows = listing.rows.value;
  const state = listing.state.value;
  const all = useMemo(() => readColumns(rows), [rows, readColumns]);
  const hidden = hiddenNames();
  const columns = all.filter(({ name }) => !hidden.includes(name));

  useEffect(() => opened.close, [opened]);
  // What was selected may not match another query.
  useEffect(() => selection.clear(), [query]);

  const openItem = (key: string) => {
    newText.value = undefined;
    setParameters({ item: key });
  };
  const addItem = (text = templateOf(all)) => {
    if (!mayWrite.peek()) return;
    setParameters({ item: '' });
    newText.value = text;
  };

  async function save(): Promise<void> {
    takeField();
    if (staged.count.peek() === 0 || isSaving.peek()) return;
    isSaving.value = true;
    try {
      overlay.value = (await saveStaged(base, staged, listing)) ? undefined : 'review';
    } catch (cause) {
      tellFailure(cause);
    }
    isSaving.value = false;
  }

  function askToDelete(chosen: readonly Row[]): void {
    if (chosen.length === 0) return;
    confirm({
      title: `Delete ${countOf(chosen.length, 'item')}?`,
      text: chosen.length === 1 ? <code>{chosen[0]?.key}</code> : 'You can take it back right after.',
      verb: 'Delete',
      danger: true,
      act: async () => {
        await deleteItems(base, chosen, listing);
        if (chosen.some(({ key }) => key === item)) openItem('');
        staged.discard(chosen.map(({ key }) => key));
        selection.clear();
      },
    });
  }

  function onAdded(row: Row): void {
    if (rows.length === 0) void bases.reload();
    listing.prepend(row);
    openItem(row.key);
    tell('Added 1 item', {
      label: 'Undo',
      run: () => {
        deleteItems(base, [row], listing).catch(tellFailure);
      },
    });
  }

  const chosenRows = () => rows.filter(({ key }) => selection.keys.peek().has(key));
  const readAgain = () => {
    attempt.value++;
  };
  useShortcuts({
    n: () => addItem(),
    'mod+s': () => void save(),
    'mod+z': () => staged.undo(),
    Escape: () => openItem(''),
  });

  const stagedBar = (
    <StagedBar
      staged={staged}
      busy={isSaving.value}
      onReview={() => {
        overlay.value = 'review';
      }}
      onSave={() => void save()}
    />
  );

  return (
    <div class="with-inspector">
      <div class="screen">
        <BaseHead
          base={base}
          listing={listing}
          request={request}
          columns={all}
          onAdd={() => addItem()}
          onImport={() => {
            overlay.value = 'import';
          }}
          onReadAgain={readAgain}
          onDeleteMatches={() => void askToDeleteMatches({ base, query, onDone: readAgain })}
        />
        <QueryBar
          columns={all}
          rows={rows}
          onCode={() => {
            overlay.value = 'query';
          }}
        />
        {state === 'failed' && rows.length === 0 ? (
          <ErrorState cause={listing.failure.value} onRetry={readAgain} />
        ) : rows.length === 0 && state !== 'complete' ? (
          <LoadingRows />
        ) : rows.length === 0 ? (
          <Nothing isQuery={query !== everything} onAdd={() => addItem()} />
        ) : (
          <ItemGrid
            base={base}
            listing={listing}
            columns={columns}
            selection={selection}
            staged={staged}
            onOpenItem={openItem}
            onDelete={() => askToDelete(chosenRows())}
          />
        )}
        {stagedBar}
        <Footer
          listing={listing}
          selection={selection}
          onDelete={() => askToDelete(chosenRows())}
          onDeleteMatches={() => void askToDeleteMatches({ base, query, onDone: readAgain })}
          onExport={() => saveRows(base, chosenRows())}
        />
      </div>
      {newText.value !== undefined && (
        <NewItem
          key={newText.value}
          base={base}
          text={newText.value}
          onAdded={onAdded}
          onClose={() => {
            newText.value = undefined;
          }}
        />
      )}
      {item !== '' && newText.value === undefined && (
        <Inspector
          base={base}
          itemKey={item}
          listing={listing}
          staged={staged}
          foot={stagedBar}
          onDuplicate={(row) => addItem(copyOf(row))}
          onDelete={(row) => askToDelete([row])}
          onClose={() => openItem('')}
        />
      )}
      {overlay.value === 'review' && (
        <Review
          staged={staged}
          busy={isSaving.value}
          onSave={() => void save()}
          onClose={() => {
            overlay.value = undefined;
          }}
        />
      )}
      {overlay.value === 'query' && (
        <QueryCode
          base={base}
          onClose={() => {
            overlay.value = undefined;
          }}
        />
      )}
      {overlay.value === 'import' && (
        <ImportDialog
          base={base}
          onDone={() => {
            readAgain();
            void bases.reload();
          }}
          onClose={() => {
            overlay.value = undefined;
          }}
        />
      )}
    </div>
  );
}

interface NothingProps {
  readonly isQuery: boolean;
  onAdd(): void;
}

function Nothing({ isQuery, onAdd }: NothingProps) {
  if (isQuery) {
    return (
      <EmptyState
        icon="search"
        title="No item matches"
        actions={<Button onClick={() => setParameters({ query: '' })}>Remove all conditions</Button>}
      />
    );
  }
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

/** A field takes its text when it is left. Saving with a key must not miss the text of the field that has the focus. */
function takeField(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  field.blur();
  field.focus();
}
