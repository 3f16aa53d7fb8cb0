import { createFieldReader, encodeVarint, type FieldReader } from './coding.js';
import { type LogFault, readLog } from './log-reader.js';

// A MANIFEST is a log of edits (`version_edit.cc` of LevelDB): which tables and logs hold the rows, after each change.

const Tag = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedTable: 6,
  newTable: 7,
  previousLogNumber: 9,
} as const;

/** A table as a MANIFEST names it. */
export interface TableEntry {
  readonly level: number;
  readonly sizeBytes: number;
  /** Its first and its last key, in LevelDB's own form. */
  readonly smallest: Buffer;
  readonly largest: Buffer;
}

export interface Manifest {
  /** The tables that hold rows, by their numbers. */
  readonly tables: ReadonlyMap<number, TableEntry>;
  /** The numbers of all tables that any of its edits puts in. */
  readonly named: ReadonlySet<number>;
  /** The first log whose batches are not yet in a table; 0 if there was none. */
  readonly logNumber: number;
  /** The sequence number of the last operation when the last edit was written. */
  readonly lastSequence: number;
  /** No file has this number or a higher one, except logs. */
  readonly nextFile: number;
  readonly records: readonly Buffer[];
  readonly faults: readonly LogFault[];
}

export function readManifest(source: Buffer): Manifest {
  const { records, faults } = readLog(source);
  const state: State = { tables: new Map(), named: new Set(), logNumber: 0, lastSequence: 0, nextFile: 0 };
  const unreadable: LogFault[] = [];
  for (const { start, bytes } of records) {
    try {
      applyEdit(state, createFieldReader(bytes));
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      unreadable.push({ offset: start, problem: cause.message, isFollowed: true });
    }
  }
  return { ...state, records: records.map(({ bytes }) => bytes), faults: [...faults, ...unreadable] };
}

interface State {
  readonly tables: Map<number, TableEntry>;
  readonly named: Set<number>;
  logNumber: number;
  lastSequence: number;
  nextFile: number;
}

function applyEdit(state: State, fields: FieldReader): void {
  const text = () => fields.bytes(fields.varint());
  while (!fields.isAtEnd) {
    const tag = fields.varint();
    switch (tag) {
      case Tag.comparator:
        text();
        break;
      case Tag.logNumber:
        state.logNumber = fields.varint();
        break;
      case Tag.lastSequence:
        state.lastSequence = fields.varint();
        break;
      case Tag.nextFile:
        state.nextFile = fields.varint();
        break;
      case Tag.previousLogNumber:
        fields.varint();
        break;
      case Tag.compactPointer:
        fields.varint();
        text();
        break;
      case Tag.deletedTable:
        fields.varint();
        state.tables.delete(fields.varint());
        break;
      case Tag.newTable: {
        const level = fields.varint();
        const number = fields.varint();
        const sizeBytes = fields.varint();
        state.named.add(number);
        state.tables.set(number, { level, sizeBytes, smallest: text(), largest: text() });
        break;
      }
      default:
        throw new RangeError(`the field has the unknown type ${tag}`);
    }
  }
}

/** The record of an edit that takes tables out and puts others in. `nextFile` is higher than all of their numbers. */
export function tablesEdit(
  removed: ReadonlyMap<number, TableEntry>,
  added: ReadonlyMap<number, TableEntry>,
  nextFile: number,
): Buffer {
  const integers = (...values: readonly number[]) => Buffer.concat(values.map(encodeVarint));
  const text = (bytes: Buffer) => [integers(bytes.length), bytes];
  return Buffer.concat([
    integers(Tag.nextFile, nextFile),
    ...[...removed].map(([number, { level }]) => integers(Tag.deletedTable, level, number)),
    ...[...added].flatMap(([number, { level, sizeBytes, smallest, largest }]) => [
      integers(Tag.newTable, level, number, sizeBytes),
      ...text(smallest),
      ...text(largest),
    ]),
  ]);
}
