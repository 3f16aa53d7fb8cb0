import { effect, signal } from '@preact/signals';
import { key, project } from '../../api/session.js';

// The widths of columns that were changed, for the tab: names of attributes do not outlive the session.

const storageName = 'basedrive-columns';
const minWidth = 48;
const maxWidth = 2000;

type Widths = ReadonlyMap<string, number>;

const all = signal<Widths>(readStored());

effect(() => {
  if (key.value !== undefined) return;
  all.value = new Map();
  sessionStorage.removeItem(storageName);
});

const idOf = (base: string, name: string) => JSON.stringify([project.peek(), base, name]);

/** The width that a column of a base was given, in pixels; undefined if it has that of its content. */
export function givenWidth(base: string, name: string): number | undefined {
  return all.value.get(idOf(base, name));
}

/** Gives a column a width; undefined takes it back. */
export function giveWidth(base: string, name: string, width: number | undefined): void {
  const next = new Map(all.peek());
  if (width === undefined) next.delete(idOf(base, name));
  else next.set(idOf(base, name), Math.max(minWidth, Math.min(maxWidth, width)));
  all.value = next;
  sessionStorage.setItem(storageName, JSON.stringify([...next]));
}

function readStored(): Widths {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(storageName) ?? '[]') as [string, number][]);
  } catch {
    return new Map();
  }
}
