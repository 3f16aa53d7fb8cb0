import type { ItemStore } from '../engines/item-store.js';
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
import { type LogRow, type LogRows, logRow, type Tail } from './tails.js';

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

/**
 * The next notes from a position on. Nothing else of the rows stays in memory. Throws the 410 `RequestError` of a
 * position whose changes are no longer kept.
 */
export async function readNoteRuns(reading: NoteReading, position: Position): Promise<NoteRuns> {
  const { tail, isOver } = reading;
  const { rows, next } = tail.from(position.next) ?? (await readLog(reading, position));
  return await runInSlices(runsOf(reading, { rows, next }, position), untilAbandoned(isOver));
}

/** Reads the next rows of the log, because the tail does not have them any more. At least one, if there is one. */
async function readLog({ items, rows: { project }, log }: NoteReading, { next }: Position): Promise<LogRows> {
  const space = changesSpaceOf(project);
  const complete = await log.complete();
  const rows: LogRow[] = [];
  let bytes = 0;
  const isFull = () => rows.length >= rowsAtOnce || bytes >= logBytesAtOnce;
  for await (const batch of scanBatches(items, space, { gte: next, lt: complete, firstBatch: rowsAtOnce })) {
    for (const row of batch) {
      if (isFull()) break;
      bytes += row.value.length;
      rows.push(logRow(row));
    }
    if (isFull()) break;
  }
  // Asked when the rows have been read: what was dropped before is not among them.
  if (next < (await keptFrom(items, project))) throw cursorTooOld();
  const last = rows.at(-1);
  return { rows, next: last === undefined || !isFull() ? complete : nextKey(last.key) };
}

function* runsOf(reading: NoteReading, { rows, next }: LogRows, position: Position): Steps<NoteRuns> {
  const { epoch } = position;
  const runs: NoteRun[] = [];
  let bytes = 0;
  for (const row of rows) {
    const { key } = row;
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
