import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { Digest } from '../digest.js';
import { createHashSet } from '../layout/hash-set.js';
import { isSystemError } from '../system-error.js';

/** A file of a folder that an export has written: with the ETag, a later run knows that it is still the same file. */
export interface JournalEntry extends Digest {
  readonly path: string;
  readonly etag: string;
}

/** What the runs of an export into a folder have written so far. */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/**
 * Opens the journal at this path, makes it if there is none, and reads what earlier runs have noted in it. `nameOf` gives the
 * name by which the file system knows a path.
 */
export async function openJournal(path: string, nameOf: (path: string) => string) {
  const earlier = new Map<string, JournalEntry>();
  const begun = createHashSet();
  const text = await readFile(path, 'utf8').catch((cause) => {
    if (isSystemError(cause) && cause.code === 'ENOENT') return '';
    throw cause;
  });
  for (const line of text.split('\n')) {
    const entry = readLine(line);
    if (entry === undefined) continue;
    begun.add(nameOf(entry.path));
    if (isWhole(entry)) earlier.set(entry.path, entry);
  }
  const file: FileHandle = await open(path, 'a', 0o600);
  // A run that was killed may have left a part of a line.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
  const write = (entry: Partial<JournalEntry>) => file.appendFile(`${JSON.stringify(entry)}\n`);
  return {
    /** What the runs before this one have written as a whole, by path. */
    earlier,
    /** Whether any run has written something to this path, or was about to. */
    has: (one: string) => begun.has(nameOf(one)),
    /** Notes that something will be written to this path. */
    async begin(one: string) {
      if (begun.has(nameOf(one))) return;
      await write({ path: one });
      begun.add(nameOf(one));
    },
    /** Notes what was written. */
    add: write,
    close: () => file.close(),
  };
}

type Line = Partial<JournalEntry> & Pick<JournalEntry, 'path'>;

function isWhole(line: Line): line is JournalEntry {
  return line.etag !== undefined;
}

function readLine(line: string): Line | undefined {
  try {
    const found = JSON.parse(line) as Line | null;
    return typeof found?.path === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
