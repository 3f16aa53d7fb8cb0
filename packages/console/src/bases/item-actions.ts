import { mayWrite } from '../api/own-key.js';
import { route, setParameters, stepBack, stepTo } from '../router.js';
import type { Actions } from './actions.js';
import type { BaseView } from './base-view.js';
import { newItemKey } from './edit/drafts.js';
import { copyOf, templateOf } from './new-item-text.js';
import type { Row } from './view/row.js';

/** Which item is open. */
export function itemActions(view: BaseView): Pick<Actions, 'openItem' | 'addItem' | 'openDraft'> {
  const { listing, columns, newItem } = view;

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

  return { openItem, addItem, openDraft };
}
