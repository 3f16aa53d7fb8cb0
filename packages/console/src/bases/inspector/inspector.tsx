import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { Button } from '../../ui/button.js';
import { CodeBlock, CopyButton } from '../../ui/copy.js';
import { lazy } from '../../ui/lazy.js';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.js';
import { EmptyState, ErrorState, LoadingRows } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { useRead } from '../../ui/use-read.js';
import type { BaseProps } from '../actions.js';
import { readItem } from '../base-api.js';
import { draftProblem } from '../edit/item-draft.js';
import { changedText } from '../edit/staged.js';
import { datesOf } from '../view/layout.js';
import { FieldsTab } from './fields-tab.js';
import { ItemSteps } from './item-steps.js';
import { JsonTab } from './json-tab.js';
import { Panel } from './panel.js';

const CodeTab = lazy(async () => (await import('./code-tab.js')).CodeTab);
const TreeTab = lazy(async () => (await import('./tree/tree-tab.js')).TreeTab);

type Tab = 'fields' | 'tree' | 'json' | 'code';

interface InspectorProps extends BaseProps {
  readonly itemKey: string;
  /** Shown at the end of a panel that covers the rest of the page. */
  readonly foot: ComponentChildren;
}

/** One item: its fields, its JSON, and the code that reads and changes it. */
export function Inspector({ view, actions, itemKey, foot }: InspectorProps) {
  const { base, listing, staged } = view;
  const isMistaken = draftProblem(itemKey, staged.items.value.get(itemKey)) !== undefined;
  const [tab, setTab] = useState<Tab>(isMistaken ? 'json' : 'fields');
  const listed = listing.rows.value.find(itemKey);
  // An item that is not in the list (a link leads to it) is read by its key, and again after changes.
  const read = async (signal: AbortSignal) => ({ row: await readItem(base, itemKey, signal) });
  const { value, failure, retry } = useRead(
    listed === undefined ? read : undefined,
    [base, itemKey],
    [listed === undefined, listing.changes.value],
  );
  const row = listed ?? (failure === undefined ? value?.row : undefined);
  return (
    <Panel
      title={itemKey}
      isKey
      foot={foot}
      onClose={() => actions.openItem('')}
      actions={
        <>
          <ItemSteps itemKey={itemKey} listing={listing} onStep={actions.openItem} />
          <CopyButton text={itemKey} label="Copy the key" />
          {row !== undefined && mayWrite.value && (
            <Menu label="Item actions">
              <MenuItem text="Duplicate" icon="duplicate" onChoose={() => actions.addItem(row)} />
              <MenuLine />
              <MenuItem
                text="Delete"
                icon="trash"
                danger
                onChoose={() => actions.askToDelete(new Set([row.key]))}
              />
            </Menu>
          )}
        </>
      }
    >
      {row === undefined ? (
        <Missing isRead={value !== undefined} failure={failure} onRetry={retry} />
      ) : (
        <>
          <Tabs<Tab>
            label="Views of the item"
            chosen={tab}
            onChoose={setTab}
            tabs={{ fields: 'Fields', tree: 'Tree', json: 'JSON', code: 'Code' }}
          />
          {tab === 'fields' && <FieldsTab key={itemKey} row={row} staged={staged} dates={datesOf(base)} />}
          {tab === 'tree' && (
            <TreeTab
              key={itemKey}
              label={`Tree of ${itemKey}`}
              json={changedText(row, staged.items.value.get(itemKey))}
            />
          )}
          {tab === 'json' && !mayWrite.value && <CodeBlock code={row.text} label="the item" />}
          {tab === 'json' && mayWrite.value && (
            <JsonTab
              key={itemKey}
              row={row}
              staged={staged}
              onSave={() => void actions.save()}
              onDiscard={() => actions.discard([itemKey])}
            />
          )}
          {tab === 'code' && <CodeTab base={base} itemKey={itemKey} />}
        </>
      )}
    </Panel>
  );
}

interface MissingProps {
  readonly isRead: boolean;
  readonly failure: unknown;
  onRetry(): void;
}

function Missing({ isRead, failure, onRetry }: MissingProps) {
  if (failure !== undefined) return <ErrorState cause={failure} onRetry={onRetry} />;
  if (!isRead) return <LoadingRows rows={4} />;
  return (
    <EmptyState
      icon="search"
      title="There is no such item"
      actions={<Button text="Try again" onClick={onRetry} />}
    >
      It was deleted, or it has expired.
    </EmptyState>
  );
}
