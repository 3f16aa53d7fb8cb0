import { confirm } from '../../ui/confirm.js';
import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { deleteMatches } from '../base-api.js';
import { everything } from '../query/model.js';

interface MatchesRequest {
  readonly base: string;
  readonly query: string;
  /** Called when some may be gone. */
  onDone(): void;
}

/** Counts what a query matches in a dry run, then asks, then deletes. It cannot be taken back. */
export async function askToDeleteMatches({ base, query, onDone }: MatchesRequest): Promise<void> {
  try {
    const count = await deleteMatches(base, query, { isDryRun: true });
    const isAll = query === everything;
    confirm({
      title: `Delete ${countOf(count, 'item')}?`,
      text: isAll
        ? `All items of ${base}. This cannot be taken back.`
        : 'All items that match the query when they are reached. This cannot be taken back.',
      verb: 'Delete',
      danger: true,
      typed: isAll ? base : undefined,
      act: async () => {
        try {
          tell(`Deleted ${countOf(await deleteMatches(base, query, { isDryRun: false }), 'item')}`);
        } finally {
          onDone();
        }
      },
    });
  } catch (cause) {
    tellFailure(cause);
  }
}
