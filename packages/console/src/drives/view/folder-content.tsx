import { mayWrite } from '../../api/own-key.js';
import { EmptyState, ErrorState, LoadingRows } from '../../ui/states.js';
import type { DriveView } from '../drive-view.js';
import type { FolderViewProps } from './entry-actions.js';
import { FolderGrid } from './folder-grid.js';
import { FolderTiles } from './tiles/folder-tiles.js';
import { folderView } from './tiles/folder-view.js';

/** What a folder holds, as a list or as tiles; or why there is nothing to see. */
export function FolderContent({ view, openName }: FolderViewProps) {
  const { folder, find, open } = view;
  const { listing, entries, reread } = open;
  const state = listing.state.value;
  if (entries.length === 0) {
    if (state === 'failed') return <ErrorState cause={listing.failure.value} onRetry={reread} />;
    return state === 'complete' ? <Nothing folder={folder} find={find} /> : <LoadingRows />;
  }
  const View = folderView.value === 'tiles' ? FolderTiles : FolderGrid;
  return <View key={folder} view={view} openName={openName} />;
}

function Nothing({ folder, find }: Pick<DriveView, 'folder' | 'find'>) {
  if (find !== '')
    return (
      <EmptyState icon="folder" title="No matches">
        The search is case-sensitive.
      </EmptyState>
    );
  return (
    <EmptyState icon="folder" title={folder === '' ? 'No files' : 'The folder is empty'}>
      {mayWrite.value && 'Drop files or folders here, or choose Upload.'}
    </EmptyState>
  );
}
