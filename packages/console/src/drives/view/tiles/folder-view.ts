import { effect, signal } from '@preact/signals';
import { deviceStorage } from '../../../api/storage.js';

/** How a folder is shown. */
export type FolderView = 'list' | 'tiles';

const storageName = 'basedrive-folder-view';

/** The view that the user has chosen, for all folders. */
export const folderView = signal<FolderView>(
  deviceStorage.getItem(storageName) === 'tiles' ? 'tiles' : 'list',
);

effect(() => void deviceStorage.setItem(storageName, folderView.value));
