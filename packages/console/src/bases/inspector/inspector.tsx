import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { mayWrite } from '../../api/own-key.js';
import { Button } from '../../ui/button.js';
import { CodeBlock, CopyButton } from '../../ui/copy.js';
import { lazy } from '../../ui/lazy.js';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.js';
import { EmptyState, ErrorState, LoadingRows } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import type { BaseProps } from '../actions.js';
import { readItem } from '../base-api.js';
import { draftProblem } from '../edit/item-draft.js';
import { changedText } from '../edit/staged.js';
import { datesOf } from '../view/layout.js';
import type { Row } from '../view/row.js';
import { FieldsTab } from './fields-tab.js';
import { ItemSteps } from './item-steps.js';
import { JsonTab } from './json-tab.js';
import { Panel } from './panel.js';

const CodeTab = lazy(async () => (await import('./code-tab.js')).CodeTab);
const TreeTab = lazy(async () => (await import('./tree/tree-tab.js')).TreeTab);

type Tab = 'fields' | 'tree' | 'json' | 'code';

/** An item that was read by its key, or why it could not be. */
interface ReadItem {
  readonly key: string;
  readonly row?: Row | undefined;
  readonly failure?: unknown;
}

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
  const [lastRead, setRead] = useState<ReadItem>();
  // It may be of the item that was open before.
  const read = lastRead?.key === itemKey ? lastRead : undefined;
  const [attempt, setAttempt] = useState(0);
  const listed = listing.rows.value.find(itemKey);

  // An item that is not in the list (a link leads to it) is read by its key, and again after changes.
  useEffect(() => {
    if (listed !== undefined) return;
    let isCurrent = true;
    readItem(base, itemKey).then(
      (row) => isCurrent && setRead({ key: itemKey, row }),
      (failure) => isCurrent && setRead({ key: itemKey, failure }),
    );
    return () => {
      isCurrent = false;
    };
  }, [base, itemKey, listed === undefined, attempt, listing.changes.value]);

  const row = listed ?? read?.row;
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
        <Missing read={read} onRetry={() => setAttempt(attempt + 1)} />
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
  readonly read: ReadItem | undefined;
  onRetry(): void;
}

function Missing({ read, onRetry }: MissingProps) {
  if (read === undefined) return <LoadingRows rows={4} />;
  if (read.failure !== undefined) return <ErrorState cause={read.failure} onRetry={onRetry} />;
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
