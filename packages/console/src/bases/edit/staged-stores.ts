import { signal } from '@preact/signals';
import { project } from '../../api/session.js';
import { takeFromTab } from '../../api/storage.js';
import { readRow } from '../view/row.js';
import { createStaged, type Staged, type StagedItem } from './staged.js';
import { keepUnsaved } from './unsaved.js';

/** The id of a base, and its items: as text, the names of attributes with their new values, and the JSON as it was typed. */
type Kept = readonly [id: string, items: readonly KeptItem[]];
type KeptItem = readonly [
  row: string,
  changes: readonly (readonly [name: string, json: string | null])[],
  text: string | null,
];

const storageName = 'basedrive-staged';
/** The staged changes of each base that was opened, by `idOf`: they outlive a visit to another base, and a reload. */
const stores = signal<ReadonlyMap<string, Staged>>(
  new Map(
    ((takeFromTab(storageName) as readonly Kept[] | undefined) ?? []).map(([id, items]) => [
      id,
      createStaged(new Map(items.map(readItem))),
    ]),
  ),
);

const idOf = (base: string, ofProject: string) => JSON.stringify([ofProject, base]);

/** The staged changes of a base of the project. */
export function stagedOf(base: string): Staged {
  const id = idOf(base, project.peek());
  const store = stores.peek().get(id) ?? createStaged();
  if (!stores.peek().has(id)) stores.value = new Map(stores.peek()).set(id, store);
  return store;
}

/** Whether a base of the project has staged changes. */
export function hasStaged(base: string): boolean {
  return (stores.value.get(idOf(base, project.value))?.count.value ?? 0) > 0;
}

keepUnsaved({
  name: storageName,
  read: () =>
    [...stores.peek()]
      .filter(([, { count }]) => count.peek() > 0)
      .map(([id, { items }]): Kept => [id, Array.from(items.peek().values(), writeItem)]),
  forget() {
    stores.value = new Map();
  },
});

function writeItem({ row, changes, text }: StagedItem): KeptItem {
  return [row.text, Array.from(changes, ([name, json]) => [name, json ?? null]), text ?? null];
}

function readItem([stored, kept, text]: KeptItem): [string, StagedItem] {
  const row = readRow(stored);
  const changes = new Map(kept.map(([name, json]) => [name, json ?? undefined]));
  return [row.key, { row, changes, ...(text === null ? {} : { text }) }];
}
