import { effect, signal } from '@preact/signals';
import { endedBecause, key, project } from '../../api/session.js';
import { keepInTab, takeFromTab } from '../../api/tab-storage.js';
import { readRow } from '../row.js';
import { createStaged, type Staged, type StagedItem } from './staged.js';

/** A base, and its items with their changes: the item as text, the names of attributes with their new values. */
type Kept = readonly [base: string, items: readonly KeptItem[]];
type KeptItem = readonly [row: string, changes: readonly (readonly [name: string, json: string | null])[]];

const storageName = 'basedrive-staged';
/** The staged changes of each base that was opened: they outlive a visit to another base, and a reload. */
const stores = new Map<string, Staged>();
/** Changes when a base is added to them. */
const opened = signal(0);

/** The staged changes of a base of the project. */
export function stagedOf(base: string): Staged {
  const id = JSON.stringify([project.peek(), base]);
  const present = stores.get(id);
  if (present !== undefined) return present;
  const store = createStaged();
  stores.set(id, store);
  opened.value = opened.peek() + 1;
  return store;
}

/** Whether a base of the project has staged changes. */
export function hasStaged(base: string): boolean {
  return opened.value >= 0 && (stores.get(JSON.stringify([project.value, base]))?.count.value ?? 0) > 0;
}

for (const [id, items] of (takeFromTab(storageName) as readonly Kept[] | undefined) ?? [])
  stores.set(id, createStaged(new Map(items.map(readItem))));

// Whoever signs out leaves nothing behind. A session that ended by itself can be continued with another key.
effect(() => {
  if (key.value === undefined && endedBecause.value === undefined) stores.clear();
});

addEventListener('beforeunload', (event) => {
  // Has the browser ask: a tab that is closed forgets them.
  if (keptStores().length > 0) event.preventDefault();
});

addEventListener('pagehide', () => {
  const kept = keptStores().map(
    ([id, { items }]): Kept => [id, Array.from(items.peek().values(), writeItem)],
  );
  if (kept.length > 0) keepInTab(storageName, kept);
});

function keptStores(): readonly (readonly [string, Staged])[] {
  return [...stores].filter(([, { count }]) => count.peek() > 0);
}

function writeItem({ row, changes }: StagedItem): KeptItem {
  return [row.text, Array.from(changes, ([name, json]) => [name, json ?? null])];
}

function readItem([text, changes]: KeptItem): [string, StagedItem] {
  const row = readRow(text);
  return [row.key, { row, changes: new Map(changes.map(([name, json]) => [name, json ?? undefined])) }];
}
