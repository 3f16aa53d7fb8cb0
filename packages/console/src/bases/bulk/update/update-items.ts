import { countOf } from '../../../ui/format.js';
import { runJob } from '../../../ui/jobs.js';
import { tell, tellFailure } from '../../../ui/toast.js';
import { type Refused, updateMatches } from '../../base-api.js';
import { checkOf, conditionFor, replaceOperations } from '../../edit/item-text.js';
import type { Row } from '../../view/row.js';
import { inTransactions } from '../in-transactions.js';
import { partsOf } from '../matches.js';
import { applyUpdate } from './apply.js';
import { type Change, changedNames, writeChanges } from './changes.js';

/** What an update did. */
export interface UpdateResult {
  readonly updated: number;
  readonly refused: number;
  /** The first items that were left as they are, and why. */
  readonly examples: readonly Refused[];
  readonly isStopped: boolean;
  /** Whether all that match were meant. */
  readonly isAll: boolean;
}

/** Matches that are changed at a time. */
const limit = 2000;
/** Refused items that are shown. */
const maxExamples = 100;

interface Update {
  readonly base: string;
  readonly changes: readonly Change[];
}

/** The items that an update is for. */
export interface Few {
  /** A query that each of them must still match, as JSON text. */
  readonly query: string | undefined;
  read(signal: AbortSignal): Promise<readonly Row[]>;
}

/** Changes items, each only if what is changed is still as it was when it was read, and offers to take it back. */
export async function updateFew(
  { base, changes }: Update,
  { query, read }: Few,
  onTakenBack: () => void,
): Promise<UpdateResult> {
  return runJob(`Updating items of ${base}`, async ({ signal, report }) => {
    const rows = await read(signal);
    const names = changedNames(changes);
    const members = writeChanges(changes);
    const work = rows.map((row) => ({
      key: row.key,
      row,
      operations: [
        ...(query === undefined ? [] : [checkOf(row.key, query)]),
        `{"update":{"key":${JSON.stringify(row.key)},"if":${conditionFor(row, names)},${members}}}`,
      ],
    }));
    const onCount = (count: number) => report(count, rows.length);
    const { done, refused } = await inTransactions(base, work, { signal, onDone: onCount });
    const befores = done.map(({ row }) => row);
    const text = `Updated ${countOf(done.length, 'item')}${signal.aborted ? ', then stopped' : ''}`;
    const undo = {
      what: 'update',
      run: () => {
        takeBack({ base, changes }, befores).catch(tellFailure).finally(onTakenBack);
      },
    };
    tell(text, { undo: done.length === 0 ? undefined : undo, of: base });
    return {
      updated: done.length,
      refused: refused.length,
      examples: refused.slice(0, maxExamples),
      isStopped: signal.aborted,
      isAll: false,
    };
  });
}

/** Changes all items that match a query, part by part, so that it can be stopped. It cannot be taken back. */
export async function updateMany(
  { base, changes }: Update,
  query: string,
  total: number,
): Promise<UpdateResult> {
  return runJob(`Updating items of ${base}`, async ({ signal, report }) => {
    const members = writeChanges(changes);
    let updated = 0;
    let refused = 0;
    const examples: Refused[] = [];
    for await (const part of partsOf(base, query, limit)) {
      if (signal.aborted) break;
      const done = await updateMatches(base, part, members);
      updated += done.updated;
      refused += done.failedCount;
      examples.push(...done.failed.slice(0, maxExamples - examples.length));
      report(updated + refused, total);
    }
    tell(`Updated ${countOf(updated, 'item')}${signal.aborted ? ', then stopped' : ''}`, { of: base });
    return { updated, refused, examples, isStopped: signal.aborted, isAll: true };
  });
}

/** Puts items back as they were, text by text, unless they were changed again. */
async function takeBack({ base, changes }: Update, befores: readonly Row[]): Promise<void> {
  const work = befores.flatMap((before) => {
    const after = applyUpdate(before, changes);
    if ('problem' in after) return [];
    return [{ key: before.key, operations: replaceOperations(after.row, before.text) }];
  });
  const { done } = await inTransactions(base, work);
  const left = befores.length - done.length;
  const note = left === 0 ? '' : `; ${countOf(left, 'item')} changed again and stay as they are`;
  tell(`Undid the changes of ${countOf(done.length, 'item')}${note}`, { of: base });
}
