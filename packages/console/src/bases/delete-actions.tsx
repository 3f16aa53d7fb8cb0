import { bases } from '../api/catalog.js';
import { route } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import type { Actions } from './actions.js';
import type { BaseView } from './base-view.js';
import { askToDeleteMatches } from './bulk/delete-matches.js';
import { maxUndo } from './bulk/matches.js';
import { deleteItems } from './delete-items.js';

type DeleteActions = Pick<Actions, 'askToDelete' | 'deleteMatches'>;

/** Where items are deleted, and how the list shows it. */
export function deletionIn({ base, shown }: BaseView) {
  return {
    base,
    onDeleted: (keys: readonly string[]) => shown().replace(new Map(keys.map((key) => [key, undefined]))),
    onPutBack: () => shown().refresh(),
  };
}

export function deleteActions(view: BaseView, openItem: Actions['openItem']): DeleteActions {
  const { request, listing, selection, staged, readAgain, isShown } = view;
  const { query } = request;
  const deletion = deletionIn(view);

  function askToDelete(keys: ReadonlySet<string>): void {
    const [first] = keys;
    if (first === undefined) return;
    confirm({
      title: `Delete ${countOf(keys.size, 'item')}?`,
      text:
        keys.size === 1 ? (
          <code>{visible(first)}</code>
        ) : keys.size > maxUndo ? (
          'That many cannot be put back.'
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
    const items = async (signal: AbortSignal) => (keys.size > maxUndo ? keys : listing.read(keys, signal));
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

  return { askToDelete, deleteMatches };
}
