import { mayWrite, seesPublic } from '../api/own-key.js';
import type { PageAction } from '../ui/page-actions.js';
import type { Actions } from './actions.js';
import type { BaseDialog, BaseView } from './base-view.js';
import { saveMatches } from './bulk/export.js';

/** What the palette offers on the screen of a base. */
export function baseActions(view: BaseView, actions: Actions): readonly PageAction[] {
  const { listing, request, staged } = view;
  const open = (dialog: BaseDialog) => () => view.open(dialog);
  const reading: readonly PageAction[] = [
    { icon: 'filter', name: 'Filters…', run: open('filters') },
    { icon: 'columns', name: 'Columns…', run: open('columns') },
    { icon: 'search', name: 'Find a key…', run: open('keys') },
    { icon: 'refresh', name: 'Reload the items', run: listing.refresh },
    { icon: 'chart', name: 'Attributes…', run: open('profile') },
    ...(seesPublic.peek() ? [{ icon: 'list' as const, name: 'Indexes…', run: open({ indexes: '' }) }] : []),
    {
      icon: 'download',
      name: 'Export as lines of JSON',
      run: () => void saveMatches(request, listing.total.peek()),
    },
    { icon: 'download', name: 'Export as CSV…', run: () => actions.askForTable('matches') },
  ];
  if (!mayWrite.peek()) return reading;
  const saving: readonly PageAction[] = [
    { icon: 'save', name: 'Save the changes', run: () => void actions.save() },
    { icon: 'list', name: 'Review the changes…', run: open('review') },
  ];
  return [
    ...(staged.count.peek() > 0 ? saving : []),
    { icon: 'plus', name: 'Add an item', run: () => actions.addItem() },
    { icon: 'upload', name: 'Import a file…', run: open('import') },
    ...reading,
  ];
}
