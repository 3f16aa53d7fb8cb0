import { bases } from '../api/catalog.js';
import { mayWrite } from '../api/own-key.js';
import { route, setParameters, stepBack, stepTo } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import type { BaseView } from './base-view.js';
import { askToDeleteMatches } from './bulk/delete-matches.js';
import { saveMatches, saveRows } from './bulk/export.js';
import { maxUndo } from './bulk/matches.js';
import { deleteItems, itemsOf } from './delete-items.js';
import { allDrafts, draftId, keepDraft } from './edit/drafts.js';
import { saveStaged } from './edit/save.js';
import { matchesOf } from './listing/matching.js';
import { templateOf } from './new-text.js';
import type { Row } from './row.js';

/** What a person does on the screen of a base. */
export interface Actions {
  /** Opens the panel of an item; an empty key closes it. */
  openItem(key: string): void;
  /** Opens the panel of a new item. Without a text it begins with the attributes of the other items. */
  addItem(text?: string): void;
  /** Shows an item that was added, with a way to take it back. */
  onAdded(row: Row): void;
  save(): Promise<void>;
  /** Drops all staged changes, with a way to take it back. */
  discard(): void;
  /** Drops the text of an item that is not saved, with a way to take it back. An empty key: of the new item. */
  discardDraft(key: string): void;
  /** Asks, then deletes. */
  askToDelete(keys: ReadonlySet<string>): void;
  // Of what is selected: all matches, or the chosen rows.
  deleteSelected(): void;
  updateSelected(): void;
  exportSelected(): void;
  // Of all matches of the query.
  deleteMatches(): void;
  updateMatches(): void;
}

/** The actions on what a screen shows. */
export function actionsOn(view: BaseView): Actions {
  const { base, request, listing, columns, selection, staged, dialog, newText, isSaving, shown, readAgain } =
    view;
  const { query } = request;

  const deletion = {
    base,
    onDeleted: (keys: readonly string[]) => shown().replace(new Map(keys.map((key) => [key, undefined]))),
    onPutBack: () => shown().refresh(),
  };

  const openItem = (key: string) => {
    newText.value = undefined;
    const { item = '' } = route.peek().parameters;
    if (key === item) return;
    if (item === '') stepTo({ item: key });
    else if (key === '') stepBack({ item: '' });
    else setParameters({ item: key });
  };

  function addItem(text = templateOf(columns.shown, listing.rows.peek())): void {
    if (!mayWrite.peek()) return;
    setParameters({ item: '' });
    newText.value = text;
  }

  function onAdded(row: Row): void {
    if (listing.rows.peek().length === 0) void bases.reload();
    shown().refresh();
    openItem(row.key);
    const undo = {
      label: 'Undo',
      run: () => {
        deleteItems({ ...deletion, items: async () => [row] }).catch(tellFailure);
      },
    };
    matchesOf(base, query, [row.key]).then(
      (matching) =>
        tell(matching.size > 0 ? 'Added 1 item' : 'Added 1 item, which does not match the query', undo),
      () => tell('Added 1 item', undo),
    );
  }

  async function save(): Promise<void> {
    takeField();
    if (staged.count.peek() === 0 || isSaving.peek()) return;
    isSaving.value = true;
    try {
      dialog.value = (await saveStaged(base, staged, shown)) ? undefined : 'review';
    } catch (cause) {
      tellFailure(cause);
    }
    isSaving.value = false;
  }

  function discard(): void {
    const before = staged.items.peek();
    const text = `Discarded ${countOf(staged.count.peek(), 'change')}`;
    staged.discard();
    tell(text, { label: 'Undo', run: () => staged.restore(before) });
  }

  function discardDraft(key: string): void {
    const id = draftId(base, key);
    const draft = allDrafts.peek().get(id);
    keepDraft(id, undefined);
    tell('Discarded the text', { label: 'Undo', run: () => keepDraft(id, draft) });
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
          'So many cannot be put back.'
        ) : (
          'You can undo it right after.'
        ),
      verb: 'Delete',
      danger: true,
      // The dialog closes, and the work shows by itself how far it is.
      act: async () => void deleteNow(keys).catch(tellFailure),
    });
  }

  async function deleteNow(keys: ReadonlySet<string>): Promise<void> {
    const items = (signal: AbortSignal) => itemsOf(listing, keys, signal);
    const deleted = await deleteItems({ ...deletion, items });
    if (deleted.includes(route.peek().parameters.item ?? '')) openItem('');
    staged.discard(deleted);
    selection.clear();
  }

  function deleteMatches(): void {
    const onDone = () => {
      selection.clear();
      readAgain();
      void bases.reload();
    };
    void askToDeleteMatches({ ...deletion, query, onDone });
  }

  const updateMatches = () => {
    dialog.value = { update: { query } };
  };

  return {
    openItem,
    addItem,
    onAdded,
    save,
    discard,
    discardDraft,
    askToDelete,
    deleteSelected() {
      if (selection.isAll.peek()) deleteMatches();
      else askToDelete(selection.keys.peek());
    },
    updateSelected() {
      const keys = selection.keys.peek();
      if (selection.isAll.peek()) updateMatches();
      else dialog.value = { update: { count: keys.size, read: (signal) => listing.read(keys, signal) } };
    },
    exportSelected() {
      const keys = selection.keys.peek();
      if (selection.isAll.peek()) void saveMatches(request, listing.total.peek());
      else void saveRows(base, (signal) => listing.read(keys, signal));
    },
    deleteMatches,
    updateMatches,
  };
}

/** A field takes its text when it is left. Saving with a key must not miss the text of the field that has the focus. */
function takeField(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  field.blur();
  field.focus();
}
