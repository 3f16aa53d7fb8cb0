import { bases } from '../api/catalog.js';
import { lazy } from '../ui/lazy.js';
import type { BaseProps } from './actions.js';
import { UpdateOutcome } from './bulk/update/update-outcome.js';
import { everything } from './query/model.js';

// What is seldom opened is loaded then.
const ColumnsDialog = lazy(async () => (await import('./view/columns-dialog.js')).ColumnsDialog);
const ExportDialog = lazy(async () => (await import('./bulk/csv/export-dialog.js')).ExportDialog);
const FiltersDialog = lazy(async () => (await import('./query/filters-dialog.js')).FiltersDialog);
const ImportDialog = lazy(async () => (await import('./bulk/import-dialog.js')).ImportDialog);
const HistoryDialog = lazy(async () => (await import('./history/history-dialog.js')).HistoryDialog);
const IndexesDialog = lazy(async () => (await import('./indexes/indexes-dialog.js')).IndexesDialog);
const KeysDialog = lazy(async () => (await import('./key-groups/keys-dialog.js')).KeysDialog);
const QueryCode = lazy(async () => (await import('./query/query-code.js')).QueryCode);
const Review = lazy(async () => (await import('./edit/review.js')).Review);
const UpdateDialog = lazy(async () => (await import('./bulk/update/update-dialog.js')).UpdateDialog);
const ProfileDialog = lazy(async () => (await import('./profile/profile-dialog.js')).ProfileDialog);

/** The dialog of a base that is open. */
export function Dialogs({ view, actions }: BaseProps) {
  const { base, dialog, readAgain } = view;
  const { query } = view.request;
  const open = dialog.value;
  const close = () => {
    dialog.value = undefined;
  };
  if (open === undefined) return null;
  if (open === 'review') return <Review view={view} actions={actions} onClose={close} />;
  if (open === 'query') return <QueryCode base={base} onClose={close} />;
  if (open === 'history') {
    return <HistoryDialog base={base} onTakenBack={() => view.shown().refresh()} onClose={close} />;
  }
  if (open === 'profile') return <ProfileDialog base={base} query={query} onClose={close} />;
  if (open === 'import') {
    const onDone = () => {
      readAgain();
      void bases.reload();
    };
    return <ImportDialog base={base} onDone={onDone} onClose={close} />;
  }
  if (open === 'filters') return <FiltersDialog base={base} onClose={close} />;
  if (open === 'columns') return <ColumnsDialog base={base} columns={view.columns.shown} onClose={close} />;
  if (open === 'keys') return <KeysDialog view={view} onClose={close} />;
  if ('indexes' in open) {
    const total = view.request.query === everything ? view.listing.total.value : undefined;
    return <IndexesDialog base={base} total={total} attributes={open.indexes} onClose={close} />;
  }
  if ('table' in open) {
    const names = view.cells.columns.map(({ name }) => name);
    return <ExportDialog base={base} target={open.table} names={names} onClose={close} />;
  }
  if ('outcome' in open) return <UpdateOutcome result={open.outcome} onClose={close} />;
  return <UpdateDialog view={view} target={open.update} onClose={close} />;
}
