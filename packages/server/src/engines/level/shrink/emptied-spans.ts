import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../lib/folder.js';

/** A range of LevelDB's keys, both included, and about how many bytes of rows were deleted or replaced in it. */
export interface EmptiedSpan {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

export function total(spans: readonly EmptiedSpan[]): number {
  return spans.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Consecutive spans in parts of at least this many bytes, except the last one. */
export function parted(spans: readonly EmptiedSpan[], minBytes: number): EmptiedSpan[][] {
  const parts: EmptiedSpan[][] = [];
  let bytes = 0;
  for (const span of spans) {
    if (parts.length === 0 || bytes >= minBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(span);
    bytes += span.bytes;
  }
  return parts;
}

// The file `EMPTIED` next to LevelDB's files, which LevelDB ignores: where rows were deleted or replaced whose bytes are
// still there. A line for each span: its two keys in base64, and the bytes. It only saves space: whatever cannot be read
// of it is left out.

const emptiedFile = 'EMPTIED';

export async function writeEmptied(folder: string, spans: readonly EmptiedSpan[]): Promise<void> {
  const text = (key: string) => Buffer.from(key).toString('base64');
  const lines = spans.map(({ from, to, bytes }) => `${text(from)} ${text(to)} ${bytes}\n`);
  await replaceFile(join(folder, emptiedFile), lines.join(''), 0o600);
}

export async function readEmptied(folder: string): Promise<EmptiedSpan[]> {
  const content = await readFile(join(folder, emptiedFile), 'utf8').catch(() => '');
  const spans: EmptiedSpan[] = [];
  for (const line of content.split('\n')) {
    const [, from, to, bytes] = /^([\w+/=]+) ([\w+/=]+) (\d{1,15})$/.exec(line) ?? [];
    if (from === undefined || to === undefined) continue;
    const key = (base64: string) => Buffer.from(base64, 'base64').toString();
    spans.push({ from: key(from), to: key(to), bytes: Number(bytes) });
  }
  return spans;
}
