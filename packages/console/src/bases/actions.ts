import type { BaseView } from './base-view.js';
import type { Row } from './view/row.js';

/** What the parts of the screen of a base are given. */
export interface BaseProps {
  readonly view: BaseView;
  readonly actions: Actions;
}

/** What a person does on the screen of a base. */
export interface Actions {
  /** Opens the panel of an item; an empty key closes it. */
  openItem(key: string): void;
  /** Opens the panel of a new item: a copy of another one, or one with the attributes of the other items. */
  addItem(copied?: Row): void;
  /** Opens the panel of a new item that is not added yet, by the key of its draft. */
  openDraft(key: string): void;
  /**
   * Says that an item was added, with a way to take it back. `isOpen`: its panel still has the text that was added, and
   * nothing else was opened or typed in the meantime. Then the item is shown in place of it.
   */
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
