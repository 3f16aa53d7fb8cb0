import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ifThere } from '../../../lib/folder.js';
import type { VerifyPace } from '../../item-store.js';
import type { RowDamage } from '../../storage-errors.js';
import type { TableEntry } from '../format/manifest.js';
import { findTableFaults, type TableFault } from '../format/table.js';
import { type ComparedTables, fileIdOf } from './compared-tables.js';
import type { KeySpan } from './fences.js';
import { missing, openManifest, tableFile } from './inspect.js';

/**
 * What is compared in a step, which takes half a millisecond of the event loop. A block has about 4 KB, or one large row: with
 * steps of 64 blocks, a table of items of 390 KB was compared in one of 70 ms.
 */
const bytesPerStep = 256 * 1024;

/** A damaged place in a table, and the keys of the rows that were or may have been there. */
export interface TableDamage extends RowDamage {
  readonly keys: KeySpan;
}

/** After each key LevelDB stores a sequence number and a kind. */
const keySuffixBytes = 8;

interface ReadTable {
  readonly number: number;
  readonly file: string;
  /** Undefined if there is no such file. */
  readonly content: FileContent | undefined;
}

interface FileContent {
  /** As `fileIdOf` gives it, before the first byte was read. */
  readonly fileId: string;
  /** Valid until the table after the next one is asked for. */
  readonly bytes: Buffer;
}

/**
 * What is damaged in the tables, by the checksums of their blocks, which LevelDB does not verify when it reads. LevelDB
 * may have the folder open: tables never change, and one that compaction deletes in the meantime is left out. Yields to other
 * work between blocks. Measured: 841 MB in the cache of the system take 1.7 s. Gives damage of the list of tables too,
 * which has no keys.
 */
export async function* findTableDamage(
  folder: string,
  { mayContinue = () => true, rest = nextTurn, around, compared, skipsKnown = false }: TableSearch = {},
): AsyncGenerator<RowDamage | TableDamage> {
  const { manifest, damage } = await openManifest(folder);
  yield* damage;
  const entries = manifest?.tables ?? noTables;
  const wanted = [...entries.keys()].filter((number) => {
    if (around !== undefined && !overlaps(keysOfTable(entries.get(number) as TableEntry), around))
      return false;
    return !(skipsKnown && compared?.isKnown(number, presentIdOf(join(folder, tableFile(number)))));
  });
  const inOrder = compared?.oldestFirst(wanted) ?? wanted;
  let doubtsOfNext = compared?.doubts() ?? 0;
  for await (const { number, file, content } of readTables(folder, inOrder)) {
    // The next table is being read already.
    const doubts = doubtsOfNext;
    doubtsOfNext = compared?.doubts() ?? 0;
    const keys = keysOfTable(entries.get(number) as TableEntry);
    if (content === undefined) {
      const now = (await openManifest(folder)).manifest;
      if (now?.tables.has(number)) yield { file, problem: missing, keys };
      continue;
    }
    let bytes = 0;
    for (const found of findTableFaults(content.bytes)) {
      if (typeof found === 'number') bytes += found;
      else {
        compared?.forget(number);
        yield damageOf(file, found, keys);
        bytes = bytesPerStep;
      }
      if (bytes < bytesPerStep) continue;
      bytes = 0;
      await rest();
      if (!mayContinue()) return;
    }
    compared?.note(number, content.fileId, doubts);
  }
  if (around === undefined) compared?.keepOnly(new Set(entries.keys()));
}

const noTables: ReadonlyMap<number, TableEntry> = new Map();

export interface TableSearch extends Pick<VerifyPace, 'mayContinue' | 'rest'> {
  /** Only the tables that may have one of these keys. */
  readonly around?: KeySpan | undefined;
  /** Learns which tables are right. */
  readonly compared?: ComparedTables;
  /** Whether to leave out the tables that it knows. Default: false. */
  readonly skipsKnown?: boolean;
}

function damageOf(file: string, { offset, problem, block }: TableFault, ofTable: KeySpan): TableDamage {
  if (block === undefined) return { file, offset, problem, keys: ofTable };
  const from = block.before === undefined ? ofTable.from : userKey(block.before.key);
  // What names the last block may be after all rows of its table: LevelDB takes a short text, `c` after all of `base/`.
  const named = userKey(block.entry.key);
  const to = named.compare(ofTable.to) < 0 ? named : ofTable.to;
  return { file, offset, problem, keys: { from, to } };
}

function keysOfTable({ smallest, largest }: TableEntry): KeySpan {
  return { from: userKey(smallest), to: userKey(largest) };
}

function userKey(key: Buffer): Buffer {
  return key.subarray(0, key.length - keySuffixBytes);
}

function overlaps(a: KeySpan, b: KeySpan): boolean {
  return a.from.compare(b.to) <= 0 && a.to.compare(b.from) >= 0;
}

/** Reads each table while the one before it is used. The memory of a table is used again for the table after the next. */
async function* readTables(folder: string, numbers: readonly number[]): AsyncGenerator<ReadTable> {
  let spare: Buffer = Buffer.alloc(0);

  async function read(number: number, memory: Buffer): Promise<ReadTable & { readonly memory: Buffer }> {
    const file = join(folder, tableFile(number));
    const content = await readIfThere(file, memory);
    const isLarger = content !== undefined && content.bytes.length > memory.length;
    return { number, file, content, memory: isLarger ? content.bytes : memory };
  }

  let coming = numbers[0] === undefined ? undefined : read(numbers[0], spare);
  for (let n = 1; coming !== undefined; n++) {
    const table = await coming;
    const number = numbers[n];
    coming = number === undefined ? undefined : read(number, spare);
    // The caller may leave early: then nobody awaits it.
    coming?.catch(() => {});
    yield table;
    spare = table.memory;
  }
}

/** Empty if there is no such file. Synchronous: it takes some 3 µs, and there may be thousands of tables. */
function presentIdOf(path: string): string {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status === undefined ? '' : fileIdOf(status);
}

async function readIfThere(path: string, memory: Buffer): Promise<FileContent | undefined> {
  const file = await ifThere(open(path));
  if (file === undefined) return undefined;
  try {
    const status = await file.stat({ bigint: true });
    const size = Number(status.size);
    const target = size <= memory.length ? memory.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    let end = 0;
    while (end < size) {
      const { bytesRead } = await file.read(target, end, size - end, end);
      if (bytesRead === 0) break;
      end += bytesRead;
    }
    return { fileId: fileIdOf(status), bytes: target.subarray(0, end) };
  } finally {
    await file.close();
  }
}
