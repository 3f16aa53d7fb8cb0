import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { Digest } from '../digest.js';
import { isSystemError } from '../system-error.js';

/** A file of a folder that an export has written: with the ETag, a later run knows that it is still the same file. */
export interface JournalEntry extends Digest {
  readonly path: string;
  readonly etag: string;
}

/** What the runs of an export into a folder have written so far. */
export interface Journal {
  /** What the runs before this one have written, by path. */
  readonly earlier: Map<string, JournalEntry>;
  add(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

export async function openJournal(path: string): Promise<Journal> {
  const earlier = new Map<string, JournalEntry>();
  const text = await readFile(path, 'utf8').catch((cause) => {
    if (isSystemError(cause) && cause.code === 'ENOENT') return '';
    throw cause;
  });
  for (const line of text.split('\n')) {
    const entry = readLine(line);
    if (entry !== undefined) earlier.set(entry.path, entry);
  }
  const file: FileHandle = await open(path, 'a', 0o600);
  // A run that was killed may have left a part of a line.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
  return {
    earlier,
    add: (entry) => file.appendFile(`${JSON.stringify(entry)}\n`),
    close: () => file.close(),
  };
}

function readLine(line: string): JournalEntry | undefined {
  try {
    return JSON.parse(line) as JournalEntry;
  } catch {
    return undefined;
  }
}
