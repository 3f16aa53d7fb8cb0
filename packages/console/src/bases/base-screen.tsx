import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { bases } from '../api/catalog.js';
import { mayWrite } from '../api/own-key.js';
import { createSelection } from '../grid/selection.js';
import { route, setParameters } from '../router.js';
import { Button } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { useShortcuts } from '../ui/shortcuts.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { BaseHead } from './base-head.js';
import { askToDeleteMatches } from './bulk/delete-matches.js';
import { saveMatches, saveRows } from './bulk/export.js';
import { ImportDialog } from './bulk/import-dialog.js';
import { maxUndo } from './bulk/matches.js';
import { UpdateDialog, type UpdateTarget } from './bulk/update/update-dialog.js';
import type { UpdateResult } from './bulk/update/update-items.js';
import { UpdateOutcome } from './bulk/update/update-outcome.js';
import { hiddenNames } from './column-menu.js';
import { createColumns } from './columns.js';
import { deleteItems, itemsOf } from './delete-items.js';
import { draftKeys } from './edit/drafts.js';
import { Review } from './edit/review.js';
import { saveStaged } from './edit/save.js';
import { StagedBar } from './edit/staged-bar.js';
import { stagedOf } from './edit/staged-stores.js';
import { Footer } from './footer.js';
import { Inspector } from './inspector/inspector.js';
import { NewItem } from './inspector/new-item.js';
import { ItemGrid } from './item-grid.js';
import { KeysDialog } from './keys/keys-dialog.js';
import { openListing } from './listing/listing.js';
import { copyOf, templateOf } from './new-text.js';
import { readOrder } from './order.js';
import { hasKeyCondition, withPrefix } from './query/key-range.js';
import { everything } from './query/model.js';
import { QueryBar } from './query/query-bar.js';
import { QueryCode } from './query/query-code.js';
import type { Row } from './row.js';

type Overlay =
  | 'review'
  | 'query'
  | 'import'
  | 'keys'
  | { readonly update: UpdateTarget }
  | { readonly outcome: UpdateResult };

/** The items of a base: look at them, query them, change them. */
export function BaseScreen({ base }: { readonly base: string }) {
  const { query = everything, order = '', item = '', from = '' } = route.value.parameters;
  const attempt = useSignal(0);
  const request = useMemo(() => ({ base, query, from, ...readOrder(order) }), [base, query, order, from]);
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
  const readAgain = () => {
    attempt.value++;
  };
  const hidden = hiddenNames();
  const columns = all.filter(({ name }) => !hidden.includes(name));

  useEffect(() => opened.close, [opened]);
  // What was selected may not match another query.
  useEffect(() => selection.clear(), [query]);

  const matches = {
    base,
    query,
    listing,
    onDone() {
      selection.clear();
      readAgain();
      void bases.reload();
    },
  };

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

  function askToDelete(keys: ReadonlySet<string>): void {
    const [first] = keys;
    if (first === undefined) return;
    confirm({
      title: `Delete ${countOf(keys.size, 'item')}?`,
      text:
        keys.size === 1 ? (
          <code>{visible(first)}</code>
        ) : keys.size > maxUndo ? (
          'So many cannot be taken back.'
        ) : (
          'You can take it back right after.'
        ),
      verb: 'Delete',
      danger: true,
      // The dialog closes, and the work shows by itself how far it is.
      act: async () => void deleteNow(keys).catch(tellFailure),
    });
  }

  async function deleteNow(keys: ReadonlySet<string>): Promise<void> {
    const items = (signal: AbortSignal) => itemsOf(listing, keys, signal);
    const deleted = await deleteItems({ base, listing, items });
    if (deleted.includes(route.peek().parameters.item ?? '')) openItem('');
    staged.discard(deleted);
    selection.clear();
  }

  function onAdded(row: Row): void {
    if (rows.length === 0) void bases.reload();
    listing.prepend([row]);
    openItem(row.key);
    tell('Added 1 item', {
      label: 'Undo',
      run: () => {
        deleteItems({ base, listing, items: async () => [row] }).catch(tellFailure);
      },
    });
  }

  /** Asks about the selection: all matches, or the chosen rows. */
  function askToDeleteSelected(): void {
    if (selection.isAll.peek()) void askToDeleteMatches(matches);
    else askToDelete(selection.keys.peek());
  }

  function updateSelected(): void {
    const keys = selection.keys.peek();
    overlay.value = {
      update: selection.isAll.peek()
        ? { query }
        : { count: keys.size, read: (signal) => listing.read(keys, signal) },
    };
  }

  function exportSelected(): void {
    const keys = selection.keys.peek();
    if (selection.isAll.peek()) void saveMatches(request, listing.total.peek());
    else void saveRows(base, (signal) => listing.read(keys, signal));
  }

  const exampleOf = (target: UpdateTarget) => {
    const keys = selection.keys.peek();
    return rows.sample(maxUndo).find(({ key }) => !('count' in target) || keys.has(key));
  };

  const closeOverlay = () => {
    overlay.value = undefined;
  };
  useShortcuts({
    n: () => addItem(),
    g: () => {
      overlay.value = 'keys';
    },
    'mod+s': () => void save(),
    'mod+z': () => staged.undo(),
    Escape: () => openItem(''),
  });

  // The new item has no key yet.
  const openDraft = newText.value !== undefined ? '' : item === '' ? undefined : item;
  const stagedBar = (
    <StagedBar
      staged={staged}
      busy={isSaving.value}
      drafts={draftKeys(base).filter((key) => key !== openDraft)}
      onOpenDraft={(key) => (key === '' ? addItem() : openItem(key))}
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
          onKeys={() => {
            overlay.value = 'keys';
          }}
          onUpdateMatches={() => {
            overlay.value = { update: { query } };
          }}
          onDeleteMatches={() => void askToDeleteMatches(matches)}
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
            onDelete={askToDeleteSelected}
          />
        )}
        {stagedBar}
        <Footer
          listing={listing}
          selection={selection}
          onUpdate={updateSelected}
          onDelete={askToDeleteSelected}
          onExport={exportSelected}
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
          onDelete={(row) => askToDelete(new Set([row.key]))}
          onClose={() => openItem('')}
        />
      )}
      {overlay.value === 'review' && (
        <Review staged={staged} busy={isSaving.value} onSave={() => void save()} onClose={closeOverlay} />
      )}
      {overlay.value === 'query' && <QueryCode base={base} onClose={closeOverlay} />}
      {overlay.value === 'import' && (
        <ImportDialog
          base={base}
          onDone={() => {
            readAgain();
            void bases.reload();
          }}
          onClose={closeOverlay}
        />
      )}
      {overlay.value === 'keys' && (
        <KeysDialog
          base={base}
          onJump={(key) => {
            setParameters({ from: key, order: '', query: hasKeyCondition(query) ? '' : query });
            closeOverlay();
          }}
          onPrefix={(prefix) => {
            setParameters({ from: '', query: withPrefix(query, prefix) });
            closeOverlay();
          }}
          onClose={closeOverlay}
        />
      )}
      {typeof overlay.value === 'object' && 'update' in overlay.value && (
        <UpdateDialog
          base={base}
          target={overlay.value.update}
          columns={all}
          example={exampleOf(overlay.value.update)}
          onTakenBack={listing.refresh}
          onStart={(work) => {
            closeOverlay();
            work.then(
              (outcome) => {
                if (outcome.keys === undefined) readAgain();
                else listing.refresh(outcome.keys);
                if (outcome.refused > 0) overlay.value = { outcome };
              },
              (cause) => {
                readAgain();
                tellFailure(cause);
              },
            );
          }}
          onClose={closeOverlay}
        />
      )}
      {typeof overlay.value === 'object' && 'outcome' in overlay.value && (
        <UpdateOutcome result={overlay.value.outcome} onClose={closeOverlay} />
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
