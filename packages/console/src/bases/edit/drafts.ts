import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { endedBecause, key, project } from '../../api/session.js';
import { keepInTab, takeFromTab } from '../../api/tab-storage.js';
import { type Row, readRow } from '../row.js';

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

/** The id of the draft of an item; of the new item, for an empty key. */
export function draftId(base: string, itemKey: string): string {
  return JSON.stringify([project.peek(), base, itemKey]);
}

/** The keys of the items of a base that have a draft; an empty one for the new item. */
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

// As with staged changes: whoever signs out leaves nothing behind.
effect(() => {
  if (key.value === undefined && endedBecause.value === undefined && drafts.peek().size > 0)
    drafts.value = new Map();
});

addEventListener('beforeunload', (event) => {
  // Has the browser ask: a tab that is closed forgets them.
  if (drafts.peek().size > 0) event.preventDefault();
});

addEventListener('pagehide', () => {
  const kept = Array.from(drafts.peek(), ([id, { text, origin }]): Kept => [id, text, origin?.text ?? null]);
  if (kept.length > 0) keepInTab(storageName, kept);
});
