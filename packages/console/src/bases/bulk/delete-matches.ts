import { confirm } from '../../ui/confirm.js';
import { countOf } from '../../ui/format.js';
import { type JobControl, runJob } from '../../ui/jobs.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { deleteMatches, readPage } from '../base-api.js';
import { deleteItems } from '../delete-items.js';
import { everything } from '../query/model.js';
import { DeletionText } from './deletion-text.js';
import { maxUndo, partsOf, readMatches } from './matches.js';

interface MatchesRequest {
  readonly base: string;
  readonly query: string;
  /** Called when some were put back. */
  onPutBack(): void;
  /** Called when some may be gone. */
  onDone(): void;
}

/** Matches that are deleted at a time. */
const limit = 5000;
/** Matches that the question names. */
const exampleCount = 3;

/** Counts what a query matches in a dry run, then asks with some of them, then deletes. Many cannot be taken back. */
export async function askToDeleteMatches(request: MatchesRequest): Promise<void> {
  const { base, query, onDone } = request;
  try {
    const [count, examples] = await Promise.all([
      deleteMatches(base, query, { isDryRun: true }),
      readPage(base, { query, order: [], isDescending: false, limit: exampleCount, isKeysOnly: true }),
    ]);
    const isFinal = count > maxUndo;
    confirm({
      title: `Delete ${countOf(count, 'item')} of ${base}?`,
      text: DeletionText({ base, query, isFinal, count, keys: examples.rows.map(({ key }) => key) }),
      verb: 'Delete',
      danger: true,
      // What cannot be taken back needs more than a click.
      typed: query === everything || isFinal ? base : undefined,
      act: async () => {
        const work = isFinal ? deleteInRanges(base, query, count) : deleteFew(request);
        // The dialog closes, and the work shows itself how far it is.
        work.catch(tellFailure).finally(onDone);
      },
    });
  } catch (cause) {
    tellFailure(cause);
  }
}

/** Deletes as many as can be taken back, each if it still matches. */
async function deleteFew({ base, query, onPutBack }: MatchesRequest): Promise<void> {
  const items = (signal: AbortSignal) => readMatches(base, query, signal);
  await deleteItems({ base, items, query, onDeleted: () => {}, onPutBack });
}

/** Deletes part by part, so that it can be stopped and its progress is known. */
async function deleteInRanges(base: string, query: string, total: number): Promise<void> {
  await runJob(`Deleting items of ${base}`, async ({ signal, report }: JobControl) => {
    let deleted = 0;
    for await (const part of partsOf(base, query, limit)) {
      if (signal.aborted) break;
      deleted += await deleteMatches(base, part, { isDryRun: false });
      report(deleted, total);
    }
    tell(`Deleted ${countOf(deleted, 'item')}${signal.aborted ? ', then stopped' : ''}`, { of: base });
  });
}
