import { useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { visible } from '../ui/visible.js';
import { PathField } from './path-field.js';

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
  const create = () => {
    if (name === '') return;
    onClose();
    onGo(`${folder}${name}/`);
  };
  return (
    <Dialog
      title={folder === '' ? 'New folder' : `New folder in ${visible(folder)}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={name === ''} onClick={create}>
            Open it
          </Button>
        </>
      }
    >
      <PathField
        label="Name"
        hint="It opens empty. Upload a file into it to keep it."
        value={text}
        problem=""
        onText={setText}
        onSubmit={create}
      />
    </Dialog>
  );
}
