import { effect, signal } from '@preact/signals';
import { key } from '../../api/session.js';
import { keepInTab, takeFromTab } from '../../api/storage.js';

/** An item before and after a change, as JSON texts; undefined where there was none. */
export interface ItemChange {
  readonly key: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What was saved at once in a base. */
export interface HistoryEntry {
  readonly id: number;
  readonly base: string;
  readonly atMs: number;
  readonly changes: readonly ItemChange[];
}

const storageName = 'basedrive-history';
const maxEntries = 200;
/** Of all texts: the storage of a tab has room for about as much again. */
const maxCharacters = 2_000_000;

/** What was saved in this tab, the newest first. It survives a reload, and ends with the session. */
const entries = signal<readonly HistoryEntry[]>(read());

effect(() => keepInTab(storageName, entries.value));
let owner = key.peek();
effect(() => {
  // Nothing of another key's project is shown, nor kept after the sign-out.
  if (key.value === owner) return;
  owner = key.value;
  entries.value = [];
});

/** What was saved in a base in this session, the newest first. */
export function historyOf(base: string): readonly HistoryEntry[] {
  return entries.value.filter((entry) => entry.base === base);
}

/** Notes changes that the service has acknowledged. The oldest are forgotten where all take too much room. */
export function noteChanges(base: string, changes: readonly ItemChange[]): void {
  if (changes.length === 0) return;
  const id = (entries.peek()[0]?.id ?? 0) + 1;
  const all = [{ id, base, atMs: Date.now(), changes }, ...entries.peek()].slice(0, maxEntries);
  let characters = 0;
  const kept = all.findIndex((entry) => {
    characters += sizeOf(entry);
    return characters > maxCharacters;
  });
  entries.value = kept === -1 ? all : all.slice(0, kept);
}

function sizeOf({ changes }: HistoryEntry): number {
  return changes.reduce(
    (sum, { key: name, before = '', after = '' }) => sum + name.length + before.length + after.length,
    0,
  );
}

function read(): readonly HistoryEntry[] {
  const found = takeFromTab(storageName);
  return Array.isArray(found) ? (found as HistoryEntry[]) : [];
}
