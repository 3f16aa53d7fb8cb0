import { useState } from 'preact/hooks';
import { useTask } from '../../ui/task.js';
import type { Entry } from '../entry.js';
import { NameTaken } from '../names/conflicts.js';
import { PathDialog } from '../names/path-dialog.js';

interface RenameProps {
  readonly entry: Entry;
  rename(to: string, isReplacing: boolean): Promise<void>;
  onClose(): void;
}

/** Asks for the new name of a file. If it is taken, the user chooses another one, or to replace the file that has it. */
export function RenameDialog({ entry, rename, onClose }: RenameProps) {
  const [text, setText] = useState(entry.name);
  const [isTaken, setTaken] = useState(false);
  const task = useTask();
  const run = () =>
    task.run(async () => {
      try {
        await rename(text, isTaken);
        onClose();
      } catch (cause) {
        setTaken(cause instanceof NameTaken);
        throw cause;
      }
    });
  return (
    <PathDialog
      title="Rename"
      label="Name"
      hint="The whole name, with its folders."
      value={text}
      task={task}
      verb={isTaken ? 'Replace it' : 'Rename'}
      isDanger={isTaken}
      isReady={text !== entry.name}
      onText={(typed) => {
        setText(typed);
        setTaken(false);
      }}
      onAct={run}
      onClose={onClose}
    />
  );
}
