import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/folder.js';
import type { ClosedLog } from './closed-log.js';

// The file `COMPARED` next to LevelDB's files, which LevelDB ignores: which tables were right when their checksums were
// compared last. It is written when the store is closed, and read by the next start. Its first line is the end of the log,
// as `CLOSED` has it. After a crash there is another log, and the file counts for nothing.

const comparedFile = 'COMPARED';
/** For how long a start relies on a comparison: the bytes may rot without being written. */
const reliedOnMs = 24 * 60 * 60 * 1000;

/** The tables of which all checksums were right, and when they were compared. */
export interface ComparedTables {
  /** Whether a table was compared lately, and its file is as it was then. */
  isKnown(number: number, fileId: string): boolean;
  /** Puts those first that were compared longest ago, or never. */
  oldestFirst(numbers: Iterable<number>): number[];
  /** Notes that a table is right, which was in this file when reading it began. */
  note(number: number, fileId: string): void;
  /** Notes that a table is damaged: each start finds it. */
  forget(number: number): void;
  /** Forgets all tables that are not among these. */
  keepOnly(numbers: ReadonlySet<number>): void;
  /** Stores what is known, for the next start of a store that is closed. */
  write(folder: string, closed: ClosedLog): Promise<void>;
}

interface Comparison {
  readonly fileId: string;
  /** By the clock of the system, which may be set in the meantime. */
  readonly atMs: number;
}

export function createComparedTables(known: Iterable<readonly [number, Comparison]> = []): ComparedTables {
  const comparisons = new Map(known);
  const timeOf = (number: number) => comparisons.get(number)?.atMs ?? 0;
  return {
    isKnown(number, fileId) {
      const comparison = comparisons.get(number);
      if (comparison === undefined || comparison.fileId !== fileId) return false;
      const agoMs = Date.now() - comparison.atMs;
      return agoMs >= 0 && agoMs < reliedOnMs;
    },
    oldestFirst: (numbers) => [...numbers].sort((a, b) => timeOf(a) - timeOf(b)),
    note: (number, fileId) => void comparisons.set(number, { fileId, atMs: Date.now() }),
    forget: (number) => void comparisons.delete(number),
    keepOnly(numbers) {
      for (const number of comparisons.keys()) if (!numbers.has(number)) comparisons.delete(number);
    },
    async write(folder, closed) {
      const lines = [firstLine(closed)];
      for (const [number, { fileId, atMs }] of comparisons) lines.push(`${number} ${atMs} ${fileId}`);
      await replaceFile(join(folder, comparedFile), `${lines.join('\n')}\n`, 0o600);
    },
  };
}

/** What was known when the store was closed with its log like this. Nothing if the file is missing or of another log. */
export async function readComparedTables(folder: string, closed: ClosedLog): Promise<ComparedTables> {
  const text = await readFile(join(folder, comparedFile), 'utf8').catch(() => '');
  const [first, ...lines] = text.split('\n');
  return createComparedTables(first === firstLine(closed) ? lines.flatMap(readLine) : []);
}

function firstLine({ number, end }: ClosedLog): string {
  return `${number} ${end}`;
}

function readLine(line: string): [number, Comparison][] {
  const [, number, atMs, fileId] = /^(\d{1,15}) (\d{1,15}) (\d+ \d+ \d+)$/.exec(line) ?? [];
  return fileId === undefined ? [] : [[Number(number), { fileId, atMs: Number(atMs) }]];
}

/** Of the status of a file: it changes when anybody writes to the file, or puts another one in its place. */
export function fileIdOf({ size, ino, ctimeNs }: { size: bigint; ino: bigint; ctimeNs: bigint }): string {
  return `${size} ${ino} ${ctimeNs}`;
}
