import { PageError } from '../api/errors.js';
import { countOf } from '../ui/format.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import type { Actions } from './actions.js';
import type { BaseView } from './base-view.js';
import { allDrafts, draftId, keepDraft } from './edit/drafts.js';
import { draftProblem, sizeOfDraft } from './edit/item-draft.js';
import { saveStaged } from './edit/save.js';
import { openInTurn } from './open-in-turn.js';

type SaveActions = Pick<Actions, 'save' | 'discard' | 'discardDraft'>;

/** What becomes of staged changes. */
export function saveActions(view: BaseView, openItem: Actions['openItem']): SaveActions {
  const { base, staged, dialog, isSaving, shown, isShown } = view;

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

  return { save, discard, discardDraft };
}

/** A field takes its text when it is left. Saving with a key must not miss the text of the field that has the focus. */
function takeField(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  field.blur();
  field.focus();
}
