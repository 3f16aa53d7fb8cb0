import { formatCount } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';
import { everything, readQuery } from '../query/model.js';
import { writeTyped } from '../query/typed.js';

interface DeletionTextProps {
  readonly base: string;
  readonly query: string;
  /** Whether so many are deleted that they cannot be put back. */
  readonly isFinal: boolean;
  readonly count: number;
  /** The keys of the first of them. */
  readonly keys: readonly string[];
}

/** What the question before a deletion by query says: which items, some of them, and whether it can be undone. */
export function DeletionText({ base, query, isFinal, count, keys }: DeletionTextProps) {
  const more = count - keys.length;
  return (
    <div class="stack">
      {query === everything ? (
        <p>All items of {visible(base)}.</p>
      ) : (
        <p>
          Every item of {visible(base)} that matches <code>{visible(words(query))}</code> when its turn comes.
        </p>
      )}
      {keys.length > 0 && (
        <p>
          {keys.map((key, n) => (
            <span key={key}>
              {n > 0 && ', '}
              <code>{visible(key)}</code>
            </span>
          ))}
          {more > 0 && ` and ${formatCount(more)} more`}
        </p>
      )}
      <p>{isFinal ? 'This cannot be undone.' : 'You can undo it right after.'}</p>
    </div>
  );
}

/** A query as one would type it. */
function words(query: string): string {
  const groups = readQuery(query);
  if (groups === undefined) return query;
  return groups.map((group) => group.map(writeTyped).join(' and ')).join(' or ');
}
