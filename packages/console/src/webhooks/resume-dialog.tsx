import type { Webhook } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { client } from '../api/session.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Problem } from '../ui/problem.js';
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
  const { busy, problem, run } = useTask();
  const isTooOld = hook.state === 'too_old';
  const resume = () =>
    run(async () => {
      await client().webhooks.change(hook.id, { paused: false, ...(isTooOld && { since }) });
      onResumed();
      onClose();
    });
  return (
    <Dialog
      title={`Resume ${visible(hook.name ?? hook.url)}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={() => void resume()}>
            Resume
          </Button>
        </>
      }
    >
      <Form onSubmit={() => void resume()}>
        {isTooOld ? (
          <>
            <p>Some of the changes that it has not sent are no longer kept.</p>
            <BeginningChoice value={since} onChange={setSince} />
          </>
        ) : (
          <p>It goes on where it was: what has changed since then is sent.</p>
        )}
        <Problem text={problem} />
      </Form>
    </Dialog>
  );
}
