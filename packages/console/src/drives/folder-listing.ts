import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isAborted } from '../api/errors.js';
import { client } from '../api/session.js';
import { type Entry, readEntry } from './entry.js';

/** What a folder holds, read as far as it is shown. */
export interface FolderListing {
  readonly entries: ReadonlySignal<readonly Entry[]>;
  readonly state: ReadonlySignal<'reading' | 'more' | 'complete' | 'failed'>;
  readonly failure: ReadonlySignal<unknown>;
  /** Reads the next page, unless one is on its way. */
  more(): Promise<void>;
  /** Reads again as many entries as there are, without an empty screen in between. */
  reload(): Promise<void>;
  /** Ends the requests in progress. */
  close(): void;
}

const limit = 500;

/** Opens the listing of a folder of a drive, and reads its first page. `filter` is the beginning of names within it. */
export function openFolder(drive: string, folder: string, filter: string): FolderListing {
  const entries = signal<readonly Entry[]>([]);
  const state = signal<'reading' | 'more' | 'complete' | 'failed'>('more');
  const failure = signal<unknown>(undefined);
  const ended = new AbortController();
  let last: string | undefined;

  async function readPage(from: string | undefined): Promise<{ found: Entry[]; next: string | undefined }> {
    const page = await client()
      .Drive(drive)
      .list({
        prefix: folder + filter,
        recursive: false,
        details: true,
        limit,
        signal: ended.signal,
        ...(from === undefined ? {} : { last: from }),
      });
    return { found: (page.files ?? []).map((file) => readEntry(file, folder)), next: page.paging?.last };
  }

  async function read(work: () => Promise<readonly Entry[]>): Promise<void> {
    if (state.peek() === 'reading') return;
    state.value = 'reading';
    try {
      const all = await work();
      batch(() => {
        entries.value = all;
        state.value = last === undefined ? 'complete' : 'more';
      });
    } catch (cause) {
      if (isAborted(cause)) return;
      batch(() => {
        failure.value = cause;
        state.value = 'failed';
      });
    }
  }

  async function more(): Promise<void> {
    if (state.peek() === 'complete') return;
    await read(async () => {
      const { found, next } = await readPage(last);
      last = next;
      return [...entries.peek(), ...found];
    });
  }

  void more();
  return {
    entries,
    state,
    failure,
    more,
    reload: () =>
      read(async () => {
        const wanted = Math.max(1, entries.peek().length);
        const all: Entry[] = [];
        last = undefined;
        do {
          const { found, next } = await readPage(last);
          all.push(...found);
          last = next;
        } while (last !== undefined && all.length < wanted);
        return all;
      }),
    close: () => ended.abort(),
  };
}
