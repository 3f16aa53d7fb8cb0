import type { ItemStore, ScannedRow } from '../engines/item-store.js';
import { scanBatches } from '../engines/scan-batches.js';
import { runInSlices, type Steps } from '../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../request-error.js';
import { changesSpaceOf } from '../spaces.js';
import { changedOf, isSelected, type ProjectRows } from './change-lines.js';
import type { Changed } from './change-writing.js';
import { cursorTooOld, type Position } from './position.js';
import { keptFrom, nextKey } from './retention.js';
import type { Selection } from './selection.js';
import { isTold, type StoredLog } from './stored-log.js';
import { type LogRow, logRow, type Tail } from './tails.js';

export interface NoteReading {
  readonly items: ItemStore;
  readonly log: StoredLog;
  readonly rows: Pick<ProjectRows, 'project'>;
  readonly selection: Selection;
  readonly tail: Tail;
  /** Whether the reader has left, or its key has ended. */
  readonly isOver: () => boolean;
}

/** A selected change, and which of all notes of its row it is. */
export interface Note {
  readonly number: number;
  readonly changed: Changed;
}

/** Selected changes of a row of a log, which follow each other. */
export interface NoteRun {
  /** The key of the row. */
  readonly key: string;
  readonly notes: readonly Note[];
  /** The position after them. */
  readonly end: Position;
}

/** Runs in their order, and where they end: all rows before `next` are in them, or were given before. */
export interface NoteRuns {
  readonly runs: readonly NoteRun[];
  readonly next: string;
}

/**
 * A reader holds notes that take about this much memory, and not more: a row may have megabytes of them. What is left of the
 * row is read again later.
 */
const runBytes = 64 * 1024;
const noteBytes = 128;
/** The rows of a log that a reader reads at once when it is far back, and about how many bytes they have. */
const rowsAtOnce = 200;
const logBytesAtOnce = 256 * 1024;
const notesPerStep = 256;
/** The rows with so many bytes take some tenths of a millisecond to decode. */
const logBytesPerStep = 32 * 1024;

/**
 * The next notes from a position on. Nothing else of the rows stays in memory. Throws the 410 `RequestError` of a
 * position whose changes are no longer kept.
 */
export async function readNoteRuns(reading: NoteReading, position: Position): Promise<NoteRuns> {
  const { tail, isOver } = reading;
  const found = tail.from(position.next) ?? (await readLog(reading, position));
  return await runInSlices(runsOf(reading, found, position), untilAbandoned(isOver));
}

/** Rows of a log, each decoded when it is asked for. As `LogRows`. */
interface FoundRows {
  readonly rows: Iterable<LogRow>;
  readonly next: string;
}

function* decoded(rows: readonly ScannedRow[]): Generator<LogRow, void, undefined> {
  for (const row of rows) yield logRow(row);
}

/**
 * Reads the next rows of the log, because the tail does not have them any more. At least one, if there is one. Most readers take
 * a few of them and read the others again: decoding all took a sixth of the time of 100 readers that were far back.
 */
async function readLog(
  { items, rows: { project }, log }: NoteReading,
  { next }: Position,
): Promise<FoundRows> {
  const space = changesSpaceOf(project);
  const complete = await log.complete();
  const rows: ScannedRow[] = [];
  let bytes = 0;
  const isFull = () => rows.length >= rowsAtOnce || bytes >= logBytesAtOnce;
  for await (const batch of scanBatches(items, space, { gte: next, lt: complete, firstBatch: rowsAtOnce })) {
    for (const row of batch) {
      if (isFull()) break;
      bytes += row.value.length;
      rows.push(row);
    }
    if (isFull()) break;
  }
  // Asked when the rows have been read: what was dropped before is not among them.
  if (next < (await keptFrom(items, project))) throw cursorTooOld();
  const last = rows.at(-1);
  return { rows: decoded(rows), next: last === undefined || !isFull() ? complete : nextKey(last.key) };
}

function* runsOf(reading: NoteReading, { rows, next }: FoundRows, position: Position): Steps<NoteRuns> {
  const { epoch } = position;
  const runs: NoteRun[] = [];
  let bytes = 0;
  let decodedBytes = 0;
  for (const row of rows) {
    const { key } = row;
    decodedBytes += row.bytes;
    if (decodedBytes >= logBytesPerStep) {
      decodedBytes = 0;
      yield;
    }
    const notes: Note[] = [];
    for (const note of selectedNotes(reading, row, key === position.next ? position.given : 0)) {
      if (note === undefined) yield;
      else if (bytes >= runBytes) {
        // What is left of the row is read again.
        if (notes.length > 0) runs.push({ key, notes, end: { epoch, next: key, given: note.number } });
        return { runs, next: key };
      } else {
        notes.push(note);
        bytes += note.changed.key.length + noteBytes;
      }
    }
    if (notes.length > 0) runs.push({ key, notes, end: { epoch, next: nextKey(key), given: 0 } });
  }
  return { runs, next };
}

/** What a commit has changed of what the reader follows, each once, from a number on; undefined where it may pause. */
function* selectedNotes(
  { selection, rows: { project } }: NoteReading,
  { keys }: LogRow,
  given: number,
): Generator<Note | undefined, void, undefined> {
  let number = 0;
  for (const [space, rowKeys] of Object.entries(keys)) {
    for (const rowKey of new Set(rowKeys)) {
      if (number % notesPerStep === notesPerStep - 1) yield undefined;
      if (number++ < given || !isTold(space, rowKey)) continue;
      const changed = changedOf(project, space, rowKey);
      if (isSelected(selection, changed)) yield { number: number - 1, changed };
    }
  }
}
