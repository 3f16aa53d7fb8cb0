import { formatTime } from '../ui/format.js';
import { Menu, MenuItem, MenuLine } from '../ui/menu.js';
import { type RecordFact, RecordList, RecordName } from '../ui/record-list.js';
import { visible } from '../ui/visible.js';
import type { ShownWebhook } from './shown-webhook.js';
import { followedText, isStopped, isTroubled, lastText, stateText } from './state-text.js';

export interface WebhookActions {
  onTest(hook: ShownWebhook): void;
  onPause(hook: ShownWebhook): void;
  onResume(hook: ShownWebhook): void;
  onDelete(hook: ShownWebhook): void;
}

interface WebhookListProps extends WebhookActions {
  readonly hooks: readonly ShownWebhook[];
}

const title: RecordFact<ShownWebhook> = {
  name: 'Where to',
  of: ({ id, name, url, created }) => (
    <RecordName
      name={visible(name ?? url)}
      other={name === undefined ? undefined : visible(url)}
      tooltip={`${id}, created ${formatTime(created)}`}
    />
  ),
};

const facts: readonly RecordFact<ShownWebhook>[] = [
  { name: 'What', class: 'record-scope', of: followedText },
  { name: 'State', of: (hook) => <State hook={hook} /> },
  { name: 'Last message', of: lastText },
  { name: 'Lag', class: 'mono', of: ({ lag }) => (lag === 0 ? '—' : `${lag} s`) },
];

/** The webhooks: what each sends, where to, and how that goes. */
export function WebhookList({ hooks, ...actions }: WebhookListProps) {
  const done: RecordFact<ShownWebhook> = {
    name: 'Actions',
    of: (hook) => <Actions hook={hook} {...actions} />,
  };
  return <RecordList records={hooks} title={title} facts={facts} actions={done} />;
}

function State({ hook }: { readonly hook: ShownWebhook }) {
  const { failing_since, stopped_since } = hook;
  const since = failing_since ?? stopped_since;
  return (
    <span
      class={isTroubled(hook) ? 'danger-text' : undefined}
      title={since === undefined ? undefined : `since ${formatTime(since)}`}
    >
      {stateText(hook)}
    </span>
  );
}

interface ActionsProps extends WebhookActions {
  readonly hook: ShownWebhook;
}

function Actions({ hook, onTest, onPause, onResume, onDelete }: ActionsProps) {
  return (
    <Menu label={`Actions on ${visible(hook.name ?? hook.url)}`}>
      <MenuItem text="Send a test message" icon="upload" onChoose={() => onTest(hook)} />
      {isStopped(hook) ? (
        <MenuItem text="Resume…" icon="play" onChoose={() => onResume(hook)} />
      ) : (
        <MenuItem text="Pause" icon="pause" onChoose={() => onPause(hook)} />
      )}
      <MenuLine />
      <MenuItem text="Delete…" icon="trash" danger onChoose={() => onDelete(hook)} />
    </Menu>
  );
}
