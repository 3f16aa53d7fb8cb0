import { type ReadonlySignal, signal } from '@preact/signals';
import { project } from '../../api/session.js';
import { takeFromTab } from '../../api/storage.js';
import { visible } from '../../ui/visible.js';
import { keepUnsaved } from './unsaved.js';

// The texts of new items that are not added yet. They outlive the panels in which they were typed, and a reload. What is
// changed in an item that is stored is staged: `staged.ts`.

const storageName = 'basedrive-drafts';
const drafts = signal<ReadonlyMap<string, string>>(
  new Map((takeFromTab(storageName) as readonly [id: string, text: string][] | undefined) ?? []),
);

/** The texts that are not saved, by `draftId`. */
export const allDrafts: ReadonlySignal<ReadonlyMap<string, string>> = drafts;

/** The id of the draft of a new item, for its `newItemKey`. */
export function draftId(base: string, itemKey: string): string {
  return JSON.stringify([project.peek(), base, itemKey]);
}

/** What stands for the key of a new item, which has none yet: no item has it. `copied` is the key that it is a copy of. */
export function newItemKey(copied?: string): string {
  return copied === undefined ? '' : `\0${copied}`;
}

/** What a draft is of, for a person. */
export function draftName(itemKey: string): string {
  return itemKey === '' ? 'the new item' : `the copy of ${visible(itemKey.slice(1))}`;
}

/** The `newItemKey` of each new item of a base that has a draft. */
export function draftKeys(base: string): readonly string[] {
  return Array.from(drafts.value.keys(), (id) => JSON.parse(id) as readonly [string, string, string])
    .filter(([own, name]) => own === project.value && name === base)
    .map(([, , itemKey]) => itemKey);
}

/** Keeps a draft; undefined drops it. */
export function keepDraft(id: string, text: string | undefined): void {
  const next = new Map(drafts.peek());
  if (text === undefined) {
    if (!next.delete(id)) return;
  } else next.set(id, text);
  drafts.value = next;
}

keepUnsaved({
  name: storageName,
  read: () => [...drafts.peek()],
  forget() {
    drafts.value = new Map();
  },
});
