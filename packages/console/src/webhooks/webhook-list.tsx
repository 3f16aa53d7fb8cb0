import type { Webhook } from 'basedrive-client';
import { formatTime } from '../ui/format.js';
import { isPhone } from '../ui/media.js';
import { Menu, MenuItem, MenuLine } from '../ui/menu.js';
import { visible } from '../ui/visible.js';
import { followedText, isStopped, isTroubled, lastText, stateText } from './state-text.js';

export interface WebhookActions {
  onTest(hook: Webhook): void;
  onPause(hook: Webhook): void;
  onResume(hook: Webhook): void;
  onDelete(hook: Webhook): void;
}

interface WebhookListProps extends WebhookActions {
  readonly hooks: readonly Webhook[];
}

/** The webhooks as a table, or on a phone as cards, so that nothing scrolls sideways. */
export function WebhookList({ hooks, ...actions }: WebhookListProps) {
  if (isPhone.value) {
    return (
      <ul class="key-cards">
        {hooks.map((hook) => (
          <WebhookCard key={hook.id} hook={hook} {...actions} />
        ))}
      </ul>
    );
  }
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Where to</th>
            <th scope="col">What</th>
            <th scope="col">State</th>
            <th scope="col">Last message</th>
            <th scope="col">Lag</th>
            <th scope="col">
              <span class="hidden-label">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {hooks.map((hook) => (
            <tr key={hook.id}>
              <td>
                <Name hook={hook} />
              </td>
              <td class="key-scope">{followedText(hook)}</td>
              <td>
                <State hook={hook} />
              </td>
              <td>{lastText(hook)}</td>
              <td class="mono">{lagText(hook)}</td>
              <td class="right">
                <Actions hook={hook} {...actions} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface WebhookProps extends WebhookActions {
  readonly hook: Webhook;
}

function WebhookCard({ hook, ...actions }: WebhookProps) {
  return (
    <li class="key-card">
      <div class="key-card-head">
        <Name hook={hook} />
        <Actions hook={hook} {...actions} />
      </div>
      <dl class="facts">
        <dt>What</dt>
        <dd>{followedText(hook)}</dd>
        <dt>State</dt>
        <dd>
          <State hook={hook} />
        </dd>
        <dt>Last message</dt>
        <dd>{lastText(hook)}</dd>
        <dt>Lag</dt>
        <dd>{lagText(hook)}</dd>
      </dl>
    </li>
  );
}

function Name({ hook: { id, name, url, created } }: { readonly hook: Webhook }) {
  return (
    <span class="key-name" title={`${id}, created ${formatTime(created)}`}>
      <strong>{visible(name ?? url)}</strong>
      {name !== undefined && <span class="meta mono">{visible(url)}</span>}
    </span>
  );
}

function State({ hook }: { readonly hook: Webhook }) {
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

function lagText({ lag }: Webhook): string {
  return lag === 0 ? '—' : `${lag} s`;
}

function Actions({ hook, onTest, onPause, onResume, onDelete }: WebhookProps) {
  return (
    <Menu label={`Actions on ${visible(hook.name ?? hook.url)}`}>
      <MenuItem icon="upload" onChoose={() => onTest(hook)}>
        Send a test message
      </MenuItem>
      {isStopped(hook) ? (
        <MenuItem icon="play" onChoose={() => onResume(hook)}>
          Resume…
        </MenuItem>
      ) : (
        <MenuItem icon="pause" onChoose={() => onPause(hook)}>
          Pause
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon="trash" danger onChoose={() => onDelete(hook)}>
        Delete…
      </MenuItem>
    </Menu>
  );
}
