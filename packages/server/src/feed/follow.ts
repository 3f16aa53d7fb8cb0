import { readLogValue } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';
import { changesSpaceOf } from '../spaces.js';
import type { Batch } from './batch.js';
import {
  type Changed,
  changedOf,
  changeText,
  currentRow,
  isSelected,
  type ProjectRows,
} from './change-lines.js';
import { cursorTooOld, type Position } from './position.js';
import { keptFrom, nextKey } from './retention.js';
import type { Selection } from './selection.js';
import { readSnapshot } from './snapshot.js';
import type { StoredLog } from './stored-log.js';
import type { LogRow, LogRows, Tail } from './tails.js';

export interface Following {
  readonly items: ItemStore;
  readonly log: StoredLog;
  readonly rows: ProjectRows;
  readonly selection: Selection;
  readonly tail: Tail;
  /** Whether the reader has left, or its key has ended. */
  readonly isOver: () => boolean;
  /** How many changes the next batch may have, 1 or more. */
  readonly most: () => number;
}

/** About how many characters a batch has: what is in memory for a reader. */
const batchCharacters = 64 * 1024;
/** The rows of a log that a reader reads at once when it is far back. */
const rowsAtOnce = 200;

/**
 * The changes from a position on, until the reader is over: first what is there, then an empty batch that is live, and
 * then what comes. Throws the 410 `RequestError` of a position whose changes are no longer kept.
 */
export async function* follow(following: Following, from: Position): AsyncGenerator<Batch> {
  const { log, tail, isOver } = following;
  if (from.epoch !== log.epoch) throw cursorTooOld();
  let position = from;
  if (position.snapshot !== undefined) {
    for await (const batch of readSnapshot(following, position)) {
      if (isOver()) return;
      position = batch.position;
      yield batch;
    }
  }
  while (!isOver()) {
    const { rows, next } = tail.from(position.next) ?? (await readLog(following, position));
    for await (const batch of changesOf(following, rows, position)) {
      if (isOver()) return;
      position = batch.position;
      yield batch;
    }
    if (next > position.next) position = { ...position, next, given: 0 };
    if (tail.from(position.next)?.rows.length !== 0) continue;
    yield { changes: [], position, isLive: true };
    await tail.wait(position.next, isOver);
  }
}

/** Reads the log from a position on, which the tail does not remember any more. */
async function readLog({ items, rows: { project }, log }: Following, { next }: Position): Promise<LogRows> {
  const space = changesSpaceOf(project);
  const complete = await log.complete();
  const rows: LogRow[] = [];
  for await (const batch of items.scan(space, { gte: next, lt: complete, limit: rowsAtOnce })) {
    for (const { key, value } of batch) rows.push({ key, ...readLogValue(value) });
  }
  // Asked when the rows have been read: what was dropped before is not among them.
  if (next < (await keptFrom(items, project))) throw cursorTooOld();
  const last = rows.at(-1);
  return { rows, next: rows.length < rowsAtOnce || last === undefined ? complete : nextKey(last.key) };
}

/** The selected changes of rows of a log. Those of one row follow each other. */
async function* changesOf(
  { rows, selection, most }: Following,
  logRows: readonly LogRow[],
  { next, given, epoch }: Position,
): AsyncGenerator<Batch> {
  for (const row of logRows) {
    const notes = selectedNotes(rows.project, selection, row);
    let number = row.key === next ? given : 0;
    while (number < notes.length) {
      const texts: string[] = [];
      let characters = 0;
      for (; number < notes.length && texts.length < most() && characters < batchCharacters; number++) {
        const changed = notes[number] as Changed;
        const found = currentRow(rows, changed);
        const value = found instanceof Promise ? await found : found;
        const text = changeText(changed, value, { clock: rows.clock, selection, tx: row.key });
        texts.push(text);
        characters += text.length;
      }
      const isWhole = number === notes.length;
      const position = isWhole
        ? { epoch, next: nextKey(row.key), given: 0 }
        : { epoch, next: row.key, given: number };
      yield { changes: texts, position, isLive: false };
    }
  }
}

/** What a commit has changed of what the reader follows, each once. */
function selectedNotes(project: string, selection: Selection, { keys }: LogRow): readonly Changed[] {
  const notes: Changed[] = [];
  for (const [space, rowKeys] of Object.entries(keys)) {
    for (const rowKey of new Set(rowKeys)) {
      const changed = changedOf(project, space, rowKey);
      if (isSelected(selection, changed)) notes.push(changed);
    }
  }
  return notes;
}
