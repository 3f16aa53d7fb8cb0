import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere, replaceFile } from '../../../lib/folder.js';
import { RowsDamaged } from '../../storage-errors.js';

/** LevelDB's keys from one to another, both included. */
export interface KeySpan {
  readonly from: Buffer;
  readonly to: Buffer;
}

/**
 * The keys that a damaged place in a table may have had. What is found there may lack rows, or show rows that were
 * deleted or replaced since. So nothing is read or written there any more, while everything else is.
 */
export type Fences = ReturnType<typeof createFences>;

export function createFences(known: readonly KeySpan[] = []) {
  const spans = [...known];

  /** The first fence that is at `from`, or after it and before `before`. */
  function crossing(from: string, before: string): KeySpan | undefined {
    if (spans.length === 0) return undefined;
    const [start, end] = [Buffer.from(from), Buffer.from(before)];
    let first: KeySpan | undefined;
    for (const span of spans) {
      const isThere = span.from.compare(end) < 0 && span.to.compare(start) >= 0;
      if (isThere && (first === undefined || span.from.compare(first.from) < 0)) first = span;
    }
    return first;
  }

  /** Throws `RowsDamaged` if there is one. */
  function checkSpan(from: string, before: string): void {
    if (crossing(from, before) !== undefined) throw fencedOff();
  }

  return {
    get isEmpty(): boolean {
      return spans.length === 0;
    },
    spans: spans as readonly KeySpan[],
    /** Gives false if the span is fenced off already. */
    add(span: KeySpan): boolean {
      if (spans.some(({ from, to }) => from.compare(span.from) <= 0 && to.compare(span.to) >= 0))
        return false;
      spans.push(span);
      return true;
    },
    crossing,
    checkSpan,
    /** Throws `RowsDamaged` if the key is fenced off. */
    check(key: string): void {
      if (spans.length > 0) checkSpan(key, keyAfter(key));
    },
  };
}

/** The error for what is fenced off. `lastKey`: see `RowsDamaged`. */
export function fencedOff(lastKey?: string): RowsDamaged {
  return new RowsDamaged('A damaged table may have had other rows here', { lastKey });
}

export function spanOf(from: string, to: string): KeySpan {
  return { from: Buffer.from(from), to: Buffer.from(to) };
}

/** The first key after another. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

// The file `DAMAGED` next to LevelDB's files, which LevelDB ignores: the fences. Compaction may write the rows of a
// damaged place into another table, where nothing shows any more that there was damage. A line for each, its two keys in
// base64.

const fenceFile = 'DAMAGED';

export async function writeFences(folder: string, spans: readonly KeySpan[]): Promise<void> {
  const lines = spans.map(({ from, to }) => `${from.toString('base64')} ${to.toString('base64')}\n`);
  await replaceFile(join(folder, fenceFile), lines.join(''), 0o600);
}

export async function readFences(folder: string): Promise<KeySpan[]> {
  const text = (await ifThere(readFile(join(folder, fenceFile), 'utf8'))) ?? '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [from = '', to = ''] = line.split(' ');
      return { from: Buffer.from(from, 'base64'), to: Buffer.from(to, 'base64') };
    });
}

/** The operator has accepted that what was damaged is lost. */
export async function removeFences(folder: string): Promise<void> {
  await rm(join(folder, fenceFile), { force: true });
}
