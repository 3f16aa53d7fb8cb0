import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { endedBecause, key, project } from '../../api/session.js';
import { tabStorage } from '../../api/storage.js';

/** An upload that has begun and not ended: enough to resume it when the same file is chosen again. */
export interface Interrupted {
  readonly drive: string;
  readonly name: string;
  /** Of the file, in bytes. */
  readonly size: number;
  /** When the file was changed, in milliseconds since 1970. A changed file is not the same. */
  readonly modified: number;
  readonly uploadId: string;
}

/** The tab's own storage outlives a reload. It has no key and no bytes. */
const storageName = 'basedrive-uploads';

const list = signal<readonly Interrupted[]>(read());

/** The uploads that have begun in this tab and not ended, also before a reload. */
export const interrupted: ReadonlySignal<readonly Interrupted[]> = list;

/** The project of the last key. */
let lastProject = project.peek();

// Whoever signs out leaves nothing behind. A session that ended by itself can be continued with another key of the project.
effect(() => {
  if (key.value === undefined) {
    if (endedBecause.value === undefined) clear();
    return;
  }
  if (project.value !== lastProject) clear();
  lastProject = project.value;
});

export function remember(upload: Interrupted): void {
  write([...list.peek().filter((other) => !isOfSameName(other, upload)), upload]);
}

export function forget(file: Pick<Interrupted, 'drive' | 'name'>): void {
  const left = list.peek().filter((other) => !isOfSameName(other, file));
  if (left.length < list.peek().length) write(left);
}

function isOfSameName(
  one: Pick<Interrupted, 'drive' | 'name'>,
  other: Pick<Interrupted, 'drive' | 'name'>,
): boolean {
  return one.drive === other.drive && one.name === other.name;
}

function write(uploads: readonly Interrupted[]): void {
  list.value = uploads;
  tabStorage.setItem(storageName, JSON.stringify(uploads));
}

function clear(): void {
  list.value = [];
  tabStorage.removeItem(storageName);
}

function read(): readonly Interrupted[] {
  try {
    return JSON.parse(tabStorage.getItem(storageName) ?? '[]') as Interrupted[];
  } catch {
    return [];
  }
}
