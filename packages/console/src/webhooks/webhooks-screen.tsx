import { useSignal } from '@preact/signals';
import type { Webhook } from 'basedrive-client';
import { useEffect } from 'preact/hooks';
import { client } from '../api/session.js';
import { Button } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { isPhone } from '../ui/media.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { tell, tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { NewWebhookDialog } from './new-webhook-dialog.js';
import { ResumeDialog } from './resume-dialog.js';
import { outcomeText } from './state-text.js';
import { WebhookList } from './webhook-list.js';

/** How often states are read again while somebody looks. */
const readEveryMs = 5000;

/** The webhooks of the project: where changes are sent, and how that goes. */
export function WebhooksScreen() {
  const hooks = useSignal<readonly Webhook[] | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isAdding = useSignal(false);
  const resuming = useSignal<Webhook | undefined>(undefined);

  async function read(): Promise<void> {
    try {
      hooks.value = await client().webhooks.list();
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

  const add = () => {
    isAdding.value = true;
  };
  const list = hooks.value;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Webhooks</h1>
        {!isPhone.value && (
          <span class="meta">{list === undefined ? '' : countOf(list.length, 'webhook')}</span>
        )}
        <span class="screen-actions">
          <Button variant="primary" icon="plus" onClick={add}>
            New webhook
          </Button>
        </span>
      </header>
      {failure.value !== undefined ? (
        <ErrorState cause={failure.value} onRetry={() => void read()} />
      ) : list === undefined ? (
        <LoadingRows />
      ) : list.length === 0 ? (
        <EmptyState
          icon="webhook"
          title="No webhooks yet"
          actions={
            <Button icon="plus" onClick={add}>
              Make a webhook
            </Button>
          }
        >
          A webhook sends what changes to an address of yours, signed, in order, and again until it is taken.
        </EmptyState>
      ) : (
        <WebhookList
          hooks={list}
          onTest={({ id }) =>
            void act(async () => {
              const { delivered, ...outcome } = await client().webhooks.test(id);
              return delivered ? 'The test message was taken' : `Not taken: ${outcomeText(outcome)}`;
            })
          }
          onPause={({ id }) =>
            void act(async () => {
              await client().webhooks.change(id, { paused: true });
              return 'Paused';
            })
          }
          onResume={(hook) => {
            resuming.value = hook;
          }}
          onDelete={({ id, name, url }) =>
            confirm({
              title: `Delete ${visible(name ?? url)}?`,
              text: 'Nothing is sent to its address any more, and its secret is forgotten. This cannot be undone.',
              verb: 'Delete',
              danger: true,
              act: async () => {
                await client().webhooks.delete(id);
                await read();
                tell('Deleted');
              },
            })
          }
        />
      )}
      {isAdding.value && (
        <NewWebhookDialog
          onMade={() => void read()}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
      {resuming.value !== undefined && (
        <ResumeDialog
          hook={resuming.value}
          onResumed={() => void read()}
          onClose={() => {
            resuming.value = undefined;
          }}
        />
      )}
    </div>
  );
}
