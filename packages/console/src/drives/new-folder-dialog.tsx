import { useState } from 'preact/hooks';
import { visible } from '../ui/visible.js';
import { PathDialog } from './names/path-dialog.js';

interface NewFolderProps {
  /** The folder in which it is to be: `trip/`, or empty for the drive itself. */
  readonly folder: string;
  onGo(folder: string): void;
  onClose(): void;
}

/** Asks for the name of a folder, and shows it. The service keeps names of files only, so it exists with its first file. */
export function NewFolderDialog({ folder, onGo, onClose }: NewFolderProps) {
  const [text, setText] = useState('');
  const name = text.replace(/^\/+|\/+$/g, '');
  return (
    <PathDialog
      title={folder === '' ? 'New folder' : `New folder in ${visible(folder)}`}
      label="Name"
      hint="It opens empty. Upload a file into it to keep it."
      value={text}
      problem=""
      verb="Open"
      isReady={name !== ''}
      busy={false}
      onText={setText}
      onAct={() => {
        onClose();
        onGo(`${folder}${name}/`);
      }}
      onClose={onClose}
    />
  );
}
