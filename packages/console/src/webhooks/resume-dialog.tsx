import type { Webhook } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { client } from '../api/session.js';
import { ActDialog } from '../ui/act-dialog.js';
import { useTask } from '../ui/task.js';
import { visible } from '../ui/visible.js';
import { type Beginning, BeginningChoice } from './beginning-choice.js';

interface ResumeProps {
  readonly hook: Webhook;
  onResumed(): void;
  onClose(): void;
}

/** Resumes a webhook: where it was, if the changes are still there; otherwise somebody says where it begins. */
export function ResumeDialog({ hook, onResumed, onClose }: ResumeProps) {
  const [since, setSince] = useState<Beginning>('now');
  const task = useTask();
  const isTooOld = hook.state === 'too_old';
  const resume = () =>
    task.run(async () => {
      await client().webhooks.change(hook.id, { paused: false, ...(isTooOld && { since }) });
      onResumed();
      onClose();
    });
  return (
    <ActDialog
      title={`Resume ${visible(hook.name ?? hook.url)}?`}
      verb="Resume"
      isForm
      task={task}
      onAct={resume}
      onClose={onClose}
    >
      {isTooOld ? (
        <>
          <p>Some of the changes that it has not sent are no longer kept.</p>
          <BeginningChoice value={since} onChange={setSince} />
        </>
      ) : (
        <p>It goes on where it was: what has changed since then is sent.</p>
      )}
    </ActDialog>
  );
}
