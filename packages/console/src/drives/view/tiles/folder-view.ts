import { effect, signal } from '@preact/signals';

/** How a folder is shown. */
export type FolderView = 'list' | 'tiles';

const storageName = 'basedrive-folder-view';

/** The view that the user has chosen, for all folders. */
export const folderView = signal<FolderView>(
  localStorage.getItem(storageName) === 'tiles' ? 'tiles' : 'list',
);

effect(() => localStorage.setItem(storageName, folderView.value));
