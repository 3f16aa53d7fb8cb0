import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { client, key } from './session.js';

/** The names of the bases or drives of the project, read as far as they are shown. */
export interface NameList {
  readonly names: ReadonlySignal<readonly string[]>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** Reads the next names. */
  more(): Promise<void>;
  /** Reads the names again from the start. */
  reload(): Promise<void>;
  /** Adds a name that the service does not list yet, because nothing is stored under it. */
  add(name: string): void;
  /** Forgets all names: they belong to the project of a key that is no longer used. */
  forget(): void;
}

/** Names that are read at once. */
const pageSize = 100;

export const bases = createNameList('bases');
export const drives = createNameList('drives');

effect(() => {
  for (const list of [bases, drives]) {
    list.forget();
    if (key.value !== undefined) void list.reload();
  }
});

/** The first names that begin with a text. */
export async function findNames(kind: 'bases' | 'drives', prefix: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  for await (const name of client()[kind]({ prefix })) if (found.push(name) === limit) break;
  return found;
}

function createNameList(kind: 'bases' | 'drives'): NameList {
  const names = signal<readonly string[]>([]);
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('reading');
  const failure = signal<unknown>(undefined);
  let added: readonly string[] = [];
  let source: AsyncGenerator<string> | undefined;

  async function read(before: readonly string[]): Promise<void> {
    const from = source;
    state.value = 'reading';
    try {
      const more: string[] = [];
      let isComplete = false;
      while (from !== undefined && more.length < pageSize && !isComplete) {
        const { value, done } = await from.next();
        if (done === true) isComplete = true;
        else more.push(value);
      }
      // Another reload has begun in the meantime.
      if (from !== source) return;
      names.value = merge([...before, ...more], added);
      state.value = isComplete ? 'complete' : 'more';
    } catch (cause) {
      if (from !== source) return;
      failure.value = cause;
      state.value = 'failed';
    }
  }

  return {
    names,
    state,
    failure,
    more: () => read(names.peek()),
    reload() {
      source = client()[kind]();
      return read([]);
    },
    add(name) {
      added = merge(added, [name]);
      names.value = merge(names.peek(), [name]);
    },
    forget() {
      source = undefined;
      added = [];
      names.value = [];
      state.value = 'reading';
    },
  };
}

function merge(names: readonly string[], more: readonly string[]): readonly string[] {
  const missing = more.filter((name) => !names.includes(name));
  return missing.length === 0 ? names : [...names, ...missing].sort();
}
