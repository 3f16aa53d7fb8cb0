import { useState } from 'preact/hooks';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { useTask } from '../ui/task.js';
import { NameTaken } from './conflicts.js';
import type { Entry } from './entry.js';
import { PathField } from './path-field.js';

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
  const isSame = text === entry.name;
  const run = (isReplacing: boolean) =>
    task.run(async () => {
      try {
        await rename(text, isReplacing);
        onClose();
      } catch (cause) {
        setTaken(cause instanceof NameTaken);
        throw cause;
      }
    });
  return (
    <Dialog
      title="Rename"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {isTaken ? (
            <Button variant="danger" busy={task.busy} onClick={() => void run(true)}>
              Replace it
            </Button>
          ) : (
            <Button variant="primary" busy={task.busy} disabled={isSame} onClick={() => void run(false)}>
              Rename
            </Button>
          )}
        </>
      }
    >
      <PathField
        label="Name"
        hint="The whole name, with its folders. No byte moves."
        value={text}
        problem={task.problem}
        onText={(typed) => {
          setText(typed);
          setTaken(false);
          task.clear();
        }}
        onSubmit={() => {
          if (!isSame && !task.busy) void run(false);
        }}
      />
    </Dialog>
  );
}
