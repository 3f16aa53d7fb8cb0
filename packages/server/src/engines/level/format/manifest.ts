import { createFieldReader, type FieldReader } from './coding.js';
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

export interface Manifest {
  /** The sizes in bytes of the tables that hold rows, by their numbers. */
  readonly tables: ReadonlyMap<number, number>;
  /** The first log whose batches are not yet in a table; 0 if there was none. */
  readonly logNumber: number;
  /** The sequence number of the last operation when the last edit was written. */
  readonly lastSequence: number;
  readonly faults: readonly LogFault[];
}

export function readManifest(source: Buffer): Manifest {
  const { records, faults } = readLog(source);
  const state = { tables: new Map<number, number>(), logNumber: 0, lastSequence: 0 };
  const unreadable: LogFault[] = [];
  for (const { start, bytes } of records) {
    try {
      applyEdit(state, createFieldReader(bytes));
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      unreadable.push({ offset: start, problem: cause.message, isFollowed: true });
    }
  }
  return { ...state, faults: [...faults, ...unreadable] };
}

function applyEdit(
  state: { readonly tables: Map<number, number>; logNumber: number; lastSequence: number },
  fields: FieldReader,
): void {
  const skipText = () => fields.bytes(fields.varint());
  while (!fields.isAtEnd) {
    const tag = fields.varint();
    switch (tag) {
      case Tag.comparator:
        skipText();
        break;
      case Tag.logNumber:
        state.logNumber = fields.varint();
        break;
      case Tag.lastSequence:
        state.lastSequence = fields.varint();
        break;
      case Tag.nextFile:
      case Tag.previousLogNumber:
        fields.varint();
        break;
      case Tag.compactPointer:
        fields.varint();
        skipText();
        break;
      case Tag.deletedTable:
        fields.varint();
        state.tables.delete(fields.varint());
        break;
      case Tag.newTable: {
        fields.varint();
        const number = fields.varint();
        state.tables.set(number, fields.varint());
        skipText();
        skipText();
        break;
      }
      default:
        throw new RangeError(`the field has the unknown type ${tag}`);
    }
  }
}
