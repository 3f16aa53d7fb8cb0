import { type ReadonlySignal, signal } from '@preact/signals';
import { project } from '../../api/session.js';
import { takeFromTab } from '../../api/tab-storage.js';
import { visible } from '../../ui/visible.js';
import { type Row, readRow } from '../view/row.js';
import { keepUnsaved } from './unsaved.js';

/** The text of an item that is not saved. It outlives the panel in which it was typed, and a reload. */
export interface Draft {
  readonly text: string;
  /** The item that the text was made from; undefined for a new item. */
  readonly origin: Row | undefined;
}

/** A draft as the tab keeps it: its id, its text, and the text of the item. */
type Kept = readonly [id: string, text: string, origin: string | null];

const storageName = 'basedrive-drafts';
const drafts = signal<ReadonlyMap<string, Draft>>(
  new Map(((takeFromTab(storageName) as readonly Kept[] | undefined) ?? []).map(readDraft)),
);

function readDraft([id, text, origin]: Kept): [string, Draft] {
  return [id, { text, origin: origin === null ? undefined : readRow(origin) }];
}

/** The texts that are not saved, by `draftId`. */
export const allDrafts: ReadonlySignal<ReadonlyMap<string, Draft>> = drafts;

/** The id of the draft of an item; of a new item, for a `newItemKey`. */
export function draftId(base: string, itemKey: string): string {
  return JSON.stringify([project.peek(), base, itemKey]);
}

/** What stands for the key of a new item, which has none yet: no item has it. `copied` is the key that it is a copy of. */
export function newItemKey(copied?: string): string {
  return copied === undefined ? '' : `\0${copied}`;
}

export const isNewItemKey = (itemKey: string) => itemKey === '' || itemKey.startsWith('\0');

/** What a draft is of, for a person. */
export function draftName(itemKey: string): string {
  if (itemKey === '') return 'the new item';
  return isNewItemKey(itemKey) ? `the copy of ${visible(itemKey.slice(1))}` : visible(itemKey);
}

/** The keys of the items of a base that have a draft; a `newItemKey` for each new item. */
export function draftKeys(base: string): readonly string[] {
  return Array.from(drafts.value.keys(), (id) => JSON.parse(id) as readonly [string, string, string])
    .filter(([own, name]) => own === project.value && name === base)
    .map(([, , itemKey]) => itemKey);
}

/** Keeps a draft; undefined drops it. */
export function keepDraft(id: string, draft: Draft | undefined): void {
  const next = new Map(drafts.peek());
  if (draft === undefined) {
    if (!next.delete(id)) return;
  } else next.set(id, draft);
  drafts.value = next;
}

keepUnsaved({
  name: storageName,
  read: () => Array.from(drafts.peek(), ([id, { text, origin }]): Kept => [id, text, origin?.text ?? null]),
  forget() {
    drafts.value = new Map();
  },
});
