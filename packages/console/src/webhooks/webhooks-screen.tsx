import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../api/session.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { ListScreen } from '../ui/list-screen.js';
import { isPhone } from '../ui/media.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { NewWebhookDialog } from './new-webhook-dialog.js';
import { ResumeDialog } from './resume-dialog.js';
import { readWebhooks, type ShownWebhook } from './shown-webhook.js';
import { outcomeText } from './state-text.js';
import { WebhookList } from './webhook-list.js';

/** How often states are read again while somebody looks. */
const readEveryMs = 5000;

const empty = {
  icon: 'webhook',
  title: 'No webhooks yet',
  verb: 'Make a webhook',
  text: 'A webhook sends what changes to an address of yours, signed, in order, and again until it is taken.',
} as const;

/** The webhooks of the project: where changes are sent, and how that goes. */
export function WebhooksScreen() {
  const hooks = useSignal<readonly ShownWebhook[] | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const [isAdding, setAdding] = useState(false);
  const [resuming, setResuming] = useState<ShownWebhook>();

  async function read(): Promise<void> {
    try {
      hooks.value = await readWebhooks();
      failure.value = undefined;
    } catch (cause) {
      failure.value = cause;
    }
  }
  useEffect(() => {
    void read();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && failure.peek() === undefined) void read();
    }, readEveryMs);
    return () => clearInterval(timer);
  }, []);

  /** Does something with a webhook, and shows how it is then. */
  async function act(work: () => Promise<string>): Promise<void> {
    try {
      tell(await work());
    } catch (cause) {
      tellFailure(cause);
    }
    await read();
  }

  const list = hooks.value;
  return (
    <ListScreen
      title="Webhooks"
      count={isPhone.value ? '' : countOf(list?.length ?? 0, 'webhook')}
      length={list?.length}
      failure={failure.value}
      verb="New webhook"
      empty={empty}
      onAdd={() => setAdding(true)}
      onRetry={() => void read()}
      dialogs={
        <>
          {isAdding && <NewWebhookDialog onMade={() => void read()} onClose={() => setAdding(false)} />}
          {resuming !== undefined && (
            <ResumeDialog
              hook={resuming}
              onResumed={() => void read()}
              onClose={() => setResuming(undefined)}
            />
          )}
        </>
      }
    >
      <WebhookList
        hooks={list ?? []}
        onTest={({ id }) => void act(() => test(id))}
        onPause={({ id }) => void act(() => pause(id))}
        onResume={setResuming}
        onDelete={(hook) => askToDelete(hook, read)}
      />
    </ListScreen>
  );
}

/** Sends a test message. Gives what became of it. */
async function test(id: string): Promise<string> {
  const { delivered, ...outcome } = await client().webhooks.test(id);
  return delivered ? 'The test message was taken' : `Not taken: ${outcomeText(outcome)}`;
}

async function pause(id: string): Promise<string> {
  await client().webhooks.change(id, { paused: true });
  return 'Paused';
}

function askToDelete({ id, name, url }: ShownWebhook, onDeleted: () => Promise<void>): void {
  confirm({
    title: `Delete ${visible(name ?? url)}?`,
    text: 'Nothing is sent to its address any more, and its secret is forgotten. This cannot be undone.',
    verb: 'Delete',
    danger: true,
    act: async () => {
      await client().webhooks.delete(id);
      await onDeleted();
      tell('Deleted');
    },
  });
}
