import { mayWrite } from '../../api/own-key.js';
import { EmptyState, ErrorState, LoadingRows } from '../../ui/states.js';
import type { FolderViewProps } from './entry-actions.js';
import { FolderGrid } from './folder-grid.js';
import { FolderTiles } from './tiles/folder-tiles.js';
import { folderView } from './tiles/folder-view.js';
import type { OpenFolder } from './use-folder.js';

interface FolderContentProps
  extends Omit<FolderViewProps, 'label' | 'entries' | 'isComplete' | 'selection' | 'onNearEnd'> {
  readonly folder: string;
  /** What is looked for in it; empty for nothing. */
  readonly find: string;
  readonly open: OpenFolder;
}

/** What a folder holds, as a list or as tiles; or why there is nothing to see. */
export function FolderContent({ folder, find, open, ...props }: FolderContentProps) {
  const { listing, entries, selection, reread } = open;
  const state = listing.state.value;
  if (entries.length === 0) {
    if (state === 'failed') return <ErrorState cause={listing.failure.value} onRetry={reread} />;
    return state === 'complete' ? <Nothing folder={folder} find={find} /> : <LoadingRows />;
  }
  const View = folderView.value === 'tiles' ? FolderTiles : FolderGrid;
  return (
    <View
      key={folder}
      {...props}
      label={`Files of ${props.drive}/${folder}`}
      entries={entries}
      isComplete={state === 'complete'}
      selection={selection}
      onNearEnd={() => void listing.more()}
    />
  );
}

function Nothing({ folder, find }: Pick<FolderContentProps, 'folder' | 'find'>) {
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
