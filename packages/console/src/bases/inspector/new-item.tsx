import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { explain } from '../../api/errors.js';
import { ownReach } from '../../api/own-key.js';
import { compact } from '../../exact/print.js';
import { JsonEditor } from '../../json-editor/json-editor.js';
import { Button } from '../../ui/button.js';
import { keepFocus } from '../../ui/focus.js';
import { useIsOpen } from '../../ui/is-open.js';
import { Problem } from '../../ui/problem.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { Tabs } from '../../ui/tabs.js';
import type { BaseProps } from '../actions.js';
import { insertItem } from '../base-api.js';
import type { NewItemStart } from '../base-view.js';
import { allDrafts, draftId, keepDraft } from '../edit/drafts.js';
import { objectProblem } from '../edit/item-draft.js';
import { withoutEmptyKey } from '../new-item-text.js';
import { NewFields } from './new-fields.js';
import { Panel } from './panel.js';

type Form = 'json' | 'fields';

/** What was chosen last. */
const form = signal<Form>('json');

interface NewItemProps extends BaseProps {
  readonly start: NewItemStart;
}

/** A new item as text. Without a key it gets a random one. */
export function NewItem({ view, actions, start }: NewItemProps) {
  const { base } = view;
  const { prefix } = ownReach.value;
  const id = draftId(base, start.draftKey);
  // What is typed outlives the panel, so it is kept as a draft and not here.
  const text = allDrafts.value.get(id) ?? start.text;
  const isOpen = useIsOpen();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  const change = (next: string) => {
    setProblem(undefined);
    keepDraft(id, next === start.text ? undefined : next);
  };

  async function add(): Promise<void> {
    const wrong = objectProblem(text);
    setProblem(wrong);
    if (wrong !== undefined) return;
    setBusy(true);
    try {
      const row = await insertItem(base, withoutEmptyKey(compact(text), prefix));
      const isSame = (allDrafts.peek().get(id) ?? start.text) === text;
      if (isSame) keepDraft(id, undefined);
      actions.onAdded(row, { isOpen: isSame && isOpen() });
      // The button, or the text, goes with the panel.
      requestAnimationFrame(keepFocus);
    } catch (cause) {
      setProblem(explain(cause));
    }
    setBusy(false);
  }

  const close = () => {
    view.newItem.value = undefined;
  };
  const submit = () => {
    if (!busy) void add();
  };
  useShortcuts({ 'mod+s': submit }, { isOver: true });
  return (
    <Panel title="New item" onClose={close}>
      <div class="json-tab">
        <Tabs<Form>
          label="Views of the new item"
          chosen={form.value}
          onChoose={(name) => {
            form.value = name;
          }}
          tabs={{ json: 'JSON', fields: 'Fields' }}
        />
        {form.value === 'json' ? (
          <JsonEditor label="JSON of the new item" text={text} onChange={change} onSubmit={submit} hasFocus />
        ) : (
          <div class="new-fields">
            <NewFields text={text} onChange={change} />
          </div>
        )}
        <Problem text={problem} />
        <p class="hint">
          With an empty "key", the item gets a random one{prefix && ` that begins with ${prefix}`}.
        </p>
        <div class="row json-actions">
          <Button text="Add" variant="primary" busy={busy} onClick={submit} />
          <Button
            text="Cancel"
            variant="quiet"
            onClick={() => {
              keepDraft(id, undefined);
              close();
            }}
          />
        </div>
      </div>
    </Panel>
  );
}
