import { bases } from '../api/catalog.js';
import { PageError } from '../api/errors.js';
import { mayWrite } from '../api/own-key.js';
import { route, setParameters, stepBack, stepTo } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import type { BaseView } from './base-view.js';
import { askToDeleteMatches } from './bulk/delete-matches.js';
import { saveMatches, saveRows } from './bulk/export.js';
import { maxUndo, walkMatches } from './bulk/matches.js';
import { deleteItems, itemsOf } from './delete-items.js';
import { allDrafts, draftId, keepDraft, newItemKey } from './edit/drafts.js';
import { draftProblem, sizeOfDraft } from './edit/item-draft.js';
import { saveStaged } from './edit/save.js';
import { noteChanges } from './history/session-history.js';
import { matchesOf } from './listing/matching.js';
import { copyOf, templateOf } from './new-text.js';
import { openInTurn } from './open-in-turn.js';
import type { Row } from './view/row.js';

/** What a person does on the screen of a base. */
export interface Actions {
  /** Opens the panel of an item; an empty key closes it. */
  openItem(key: string): void;
  /** Opens the panel of a new item: a copy of another one, or one with the attributes of the other items. */
  addItem(copied?: Row): void;
  /** Opens the panel of a new item that is not added yet, by the key of its draft. */
  openDraft(key: string): void;
  /** Says that an item was added, with a way to take it back. Where its panel `isOpen`, the item is shown in place of it. */
  onAdded(row: Row, options: { readonly isOpen: boolean }): void;
  save(): Promise<void>;
  /** Drops the staged changes of items, or all, with a way to take it back. */
  discard(keys?: readonly string[]): void;
  /** Drops a text that is not saved, by the key of its draft, with a way to take it back. */
  discardDraft(key: string): void;
  /** Asks, then deletes. */
  askToDelete(keys: ReadonlySet<string>): void;
  // Of what is selected: all matches, or the chosen rows.
  deleteSelected(): void;
  updateSelected(): void;
  exportSelected(): void;
  /** Asks how the selected items are to be a table, or all matches of the query. */
  askForTable(of: 'selected' | 'matches'): void;
  // Of all matches of the query.
  deleteMatches(): void;
  updateMatches(): void;
}

/** The actions on what a screen shows. */
export function actionsOn(view: BaseView): Actions {
  const { base, request, listing, columns, selection, staged, dialog, newItem, isSaving } = view;
  const { shown, readAgain, isShown } = view;
  const { query } = request;

  const deletion = {
    base,
    onDeleted: (keys: readonly string[]) => shown().replace(new Map(keys.map((key) => [key, undefined]))),
    onPutBack: () => shown().refresh(),
  };

  const openItem = (key: string) => {
    newItem.value = undefined;
    const { item = '' } = route.peek().parameters;
    if (key === item) return;
    if (item === '') stepTo({ item: key });
    else if (key === '') stepBack({ item: '' });
    else setParameters({ item: key });
  };

  function addItem(copied?: Row): void {
    if (copied === undefined) openNewItem(templateOf(columns.shown, listing.rows.peek()), newItemKey());
    else openNewItem(copyOf(copied), newItemKey(copied.key));
  }

  function openDraft(key: string): void {
    openNewItem(templateOf(columns.shown, listing.rows.peek()), key);
  }

  function openNewItem(text: string, draftKey: string): void {
    if (!mayWrite.peek()) return;
    setParameters({ item: '' });
    newItem.value = { text, draftKey };
  }

  function onAdded(row: Row, { isOpen }: { readonly isOpen: boolean }): void {
    noteChanges(base, [{ key: row.key, after: row.text }]);
    if (listing.rows.peek().length === 0) void bases.reload();
    shown().refresh();
    if (isOpen) openItem(row.key);
    const undo = {
      what: 'adding',
      run: () => {
        deleteItems({ ...deletion, items: async () => [row] }).catch(tellFailure);
      },
    };
    const tellAdded = (note: string) => tell(`Added 1 item${note}`, { undo, of: base });
    matchesOf(base, query, [row.key]).then(
      ({ size }) => tellAdded(size > 0 ? '' : ', which does not match the query'),
      () => tellAdded(''),
    );
  }

  async function save(): Promise<void> {
    takeField();
    if (staged.count.peek() === 0 || isSaving.peek()) return;
    for (const [key, item] of staged.items.peek()) {
      const problem = draftProblem(key, item);
      if (problem === undefined) continue;
      openItem(key);
      return tellFailure(new PageError(`The JSON of ${visible(key)} has a mistake: ${problem}`));
    }
    isSaving.value = true;
    try {
      if (!(await saveStaged(base, staged, shown))) showConflict();
      else if (dialog.peek() === 'review' && staged.count.peek() === 0) dialog.value = undefined;
    } catch (cause) {
      tellFailure(cause);
    }
    isSaving.value = false;
  }

  function showConflict(): void {
    if (isShown() && dialog.peek() === 'review') return;
    openInTurn(view, 'review', `Somebody else has changed items of ${base} meanwhile: they were not saved`);
  }

  function discard(keys: readonly string[] = [...staged.items.peek().keys()]): void {
    const asked = new Set(keys);
    const before = new Map([...staged.items.peek()].filter(([key]) => asked.has(key)));
    const count = [...before.values()].reduce((sum, item) => sum + sizeOfDraft(item), 0);
    staged.discard(keys);
    const undo = { what: 'discard', run: () => staged.restore(before) };
    tell(`Discarded ${countOf(count, 'change')}`, { undo });
  }

  function discardDraft(key: string): void {
    const id = draftId(base, key);
    const draft = allDrafts.peek().get(id);
    keepDraft(id, undefined);
    tell('Discarded the text', { undo: { what: 'discard', run: () => keepDraft(id, draft) } });
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
    // In the meantime other items may have been opened and selected, and another base.
    if (isShown() && deleted.includes(route.peek().parameters.item ?? '')) openItem('');
    staged.discard(deleted);
    selection.remove(keys);
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
    openDraft,
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
    askForTable(of) {
      const keys = selection.keys.peek();
      const isAll = of === 'matches' || selection.isAll.peek();
      dialog.value = {
        table: {
          total: isAll ? listing.total.peek() : keys.size,
          read: (signal) =>
            isAll ? walkMatches(base, query, { limit: 1000, signal }) : onePage(listing.read(keys, signal)),
        },
      };
    },
    deleteMatches,
    updateMatches,
  };
}

async function* onePage<Page>(page: Promise<Page>): AsyncGenerator<Page> {
  yield await page;
}

/** A field takes its text when it is left. Saving with a key must not miss the text of the field that has the focus. */
function takeField(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  field.blur();
  field.focus();
}
