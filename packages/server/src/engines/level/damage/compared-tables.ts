import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../lib/folder.js';
import type { LogEnd } from './log-end-file.js';

// The file `COMPARED` next to LevelDB's files, which LevelDB ignores: which tables were right when their checksums were
// compared last. It is written when the store is closed, and read by the next start. Its first line has the end of the log, as
// `CLOSED` has it, and when the system was started. After a crash there is another log, and the file is ignored. It is
// also ignored after a reboot, because the bytes may have been right only in the page cache.

const comparedFile = 'COMPARED';
/** Linux writes another random text into it at each start. */
const startOfSystemFile = '/proc/sys/kernel/random/boot_id';
/** For how long a start relies on a comparison: bytes on a disk may rot. */
const reliedOnMs = 24 * 60 * 60 * 1000;

/** The tables of which all checksums were right, and when they were compared. */
export type ComparedTables = ReturnType<typeof createComparedTables>;

interface Comparison {
  readonly fileId: string;
  /** By the clock of the system, which may be set in the meantime. */
  readonly atMs: number;
}

export function createComparedTables(known: Iterable<readonly [number, Comparison]> = []) {
  const comparisons = new Map(known);
  let doubts = 0;
  const timeOf = (number: number) => comparisons.get(number)?.atMs ?? 0;
  return {
    /** Whether a table was compared lately, and its file is as it was then. */
    isKnown(number: number, fileId: string): boolean {
      const comparison = comparisons.get(number);
      if (comparison === undefined || comparison.fileId !== fileId) return false;
      const agoMs = Date.now() - comparison.atMs;
      return agoMs >= 0 && agoMs < reliedOnMs;
    },
    /** Puts those first that were compared longest ago, or never. */
    oldestFirst: (numbers: Iterable<number>) => [...numbers].sort((a, b) => timeOf(a) - timeOf(b)),
    /** Counts what shows that some table may be damaged. Ask for it before a table is read. */
    doubts: () => doubts,
    /**
     * Notes that a table was found right. `fileId` and `before`, the doubts, must be the values from before reading began;
     * otherwise the table may have been damaged since, and nothing is noted.
     */
    note(number: number, fileId: string, before: number): void {
      if (before === doubts) comparisons.set(number, { fileId, atMs: Date.now() });
    },
    /** Notes that a table is damaged: the next start compares it. */
    forget(number: number): void {
      doubts++;
      comparisons.delete(number);
    },
    /** Notes that some table may be damaged. */
    forgetAll(): void {
      doubts++;
      comparisons.clear();
    },
    /** Forgets all tables that are not among these. */
    keepOnly(numbers: ReadonlySet<number>): void {
      for (const number of comparisons.keys()) if (!numbers.has(number)) comparisons.delete(number);
    },
    /** Stores what is known, for the next start of a store that is closed. */
    async write(folder: string, closed: LogEnd): Promise<void> {
      const lines = [await firstLine(closed)];
      for (const [number, { fileId, atMs }] of comparisons) lines.push(`${number} ${atMs} ${fileId}`);
      await replaceFile(join(folder, comparedFile), `${lines.join('\n')}\n`, 0o600);
    },
  };
}

/** What was known when the store was closed with its log like this. Nothing if the file is missing or ignored. */
export async function readComparedTables(folder: string, closed: LogEnd): Promise<ComparedTables> {
  const text = await readFile(join(folder, comparedFile), 'utf8').catch(() => '');
  const [first, ...lines] = text.split('\n');
  return createComparedTables(first === (await firstLine(closed)) ? lines.flatMap(readLine) : []);
}

/** A system that does not say when it was started is another one each time. */
async function firstLine({ number, end }: LogEnd): Promise<string> {
  const startOfSystem = await readFile(startOfSystemFile, 'utf8').catch(() => randomUUID());
  return `${number} ${end} ${startOfSystem.trim()}`;
}

function readLine(line: string): [number, Comparison][] {
  const [, number, atMs, fileId] = /^(\d{1,15}) (\d{1,15}) (\d+ \d+ \d+)$/.exec(line) ?? [];
  return fileId === undefined ? [] : [[Number(number), { fileId, atMs: Number(atMs) }]];
}

/** Identifies a state of a file: it changes when anybody writes to the file or replaces it, but not when the disk rots. */
export function fileIdOf({ size, ino, ctimeNs }: { size: bigint; ino: bigint; ctimeNs: bigint }): string {
  return `${size} ${ino} ${ctimeNs}`;
}
