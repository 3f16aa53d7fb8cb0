import { useState } from 'preact/hooks';
import { useTask } from '../ui/task.js';
import { visible } from '../ui/visible.js';
import { makeFolder } from './folders/markers.js';
import { PathDialog } from './names/path-dialog.js';

interface NewFolderProps {
  readonly drive: string;
  /** The folder in which it is to be: `trip/`, or empty for the drive itself. */
  readonly folder: string;
  onGo(folder: string): void;
  onClose(): void;
}

/** Asks for the name of a folder, makes it, and shows it. */
export function NewFolderDialog({ drive, folder, onGo, onClose }: NewFolderProps) {
  const [text, setText] = useState('');
  const task = useTask();
  const name = text.replace(/^\/+|\/+$/g, '');
  const path = `${folder}${name}/`;
  return (
    <PathDialog
      title={folder === '' ? 'New folder' : `New folder in ${visible(folder)}`}
      label="Name"
      hint="A slash in it makes a folder in a folder: 2026/trip."
      value={text}
      task={task}
      verb="Create"
      isReady={name !== ''}
      onText={setText}
      onAct={() => {
        void task.run(async () => {
          await makeFolder(drive, path);
          onClose();
          onGo(path);
        });
      }}
      onClose={onClose}
    />
  );
}
