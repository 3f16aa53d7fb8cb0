import type { Semaphore } from '../lib/concurrency/semaphore.js';
import { runInSlices } from '../lib/concurrency/time-slices.js';
import { untilAbandoned } from '../request-error.js';
import { type ChangedRow, changeTexts, currentRow, type ProjectRows } from './change-lines.js';
import { type Note, type NoteReading, type NoteRun, readNoteRuns } from './note-runs.js';
import { type Batch, batchBytes, cursorTooOld, type Position } from './position.js';
import { readSnapshot } from './snapshot.js';

export interface Following extends NoteReading {
  readonly rows: ProjectRows;
  /** How many changes the next batch may have, 1 or more. */
  readonly most: () => number;
  /** Reads a batch when there is memory for it. */
  readonly inTurn: Semaphore;
}

/**
 * The changes from a position on, until the reader is over: first what is there, then an empty batch that is live, and
 * then what comes. Throws the 410 `RequestError` of a position whose changes are no longer kept.
 */
export async function* follow(following: Following, from: Position): AsyncGenerator<Batch> {
  const { log, tail, isOver } = following;
  let position = from;
  if (position.snapshot !== undefined) {
    for await (const batch of readSnapshot(following, position)) {
      if (isOver()) return;
      position = batch.position;
      yield batch;
    }
  }
  while (!isOver()) {
    if (position.epoch !== log.epoch) {
      if (!(await log.hasGiven(position))) throw cursorTooOld();
      position = { ...position, epoch: log.epoch };
    }
    const { runs, next } = await readNoteRuns(following, position);
    // What was read may be of another epoch than the position.
    if (position.epoch !== log.epoch) continue;
    for (const run of runs) {
      for (let at = 0; at < run.notes.length && !isOver(); ) {
        const { count, ...batch } = await following.inTurn(() => readBatch(following, run, at));
        at += count;
        position = batch.position;
        yield batch;
      }
    }
    if (isOver()) return;
    if (next > position.next) position = { ...position, next, given: 0 };
    if (tail.from(position.next)?.rows.length !== 0) continue;
    yield { changes: [], position, isLive: true };
    await tail.wait(position.next, isOver);
  }
}

/** The next changes of a run of notes, and how many notes they come from. What was read of rows is forgotten. */
async function readBatch(
  { rows, selection, most, isOver }: Following,
  { key, notes, end }: NoteRun,
  from: number,
): Promise<Batch & { readonly count: number }> {
  const found = await currentRows(rows, notes.slice(from, from + most()));
  const telling = { clock: rows.clock, selection, tx: key };
  const changes = await runInSlices(changeTexts(found, telling), untilAbandoned(isOver));
  const count = found.length;
  const rest = notes[from + count];
  const position = rest === undefined ? end : { ...end, next: key, given: rest.number };
  return { changes, position, isLive: false, count };
}

/** The first of these changes with their rows as they are now, until that is enough for a batch. */
async function currentRows(rows: ProjectRows, notes: readonly Note[]): Promise<readonly ChangedRow[]> {
  const found: ChangedRow[] = [];
  let bytes = 0;
  for (const { changed } of notes) {
    const current = currentRow(rows, changed);
    const row = current instanceof Promise ? await current : current;
    found.push({ changed, row });
    bytes += row?.length ?? 0;
    if (bytes >= batchBytes) break;
  }
  return found;
}
