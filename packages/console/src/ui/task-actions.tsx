import { Button } from './button.js';
import type { useTask } from './task.js';

interface TaskActionsProps {
  readonly task: ReturnType<typeof useTask>;
  readonly verb: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  onRun(): void;
  onCancel(): void;
}

/** The buttons of a dialog that does work: Cancel, or Stop while it says how far it is, and the verb. */
export function TaskActions({ task, verb, danger = false, disabled, onRun, onCancel }: TaskActionsProps) {
  const { busy, progress } = task;
  return (
    <>
      {progress !== '' && (
        <span class="meta push-left" role="status">
          {progress}
        </span>
      )}
      {progress === '' ? (
        <Button onClick={onCancel}>Cancel</Button>
      ) : (
        <Button onClick={task.stop}>Stop</Button>
      )}
      <Button variant={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled} onClick={onRun}>
        {verb}
      </Button>
    </>
  );
}
