import type { ActivityDetails } from 'basedrive-client';
import { mayShare } from '../api/own-key.js';
import { addressOf } from '../router.js';
import { countOf, formatFromNow, formatMilliseconds } from '../ui/format.js';
import { visible } from '../ui/visible.js';

type SlowQuery = ActivityDetails['slow_queries'][number];

/** Queries that took long or read much, and what would make them fast. */
export function SlowQueries({ queries }: { readonly queries: readonly SlowQuery[] }) {
  return (
    <section class="panel" aria-label="Slow queries">
      <h2>Slow queries</h2>
      {queries.length === 0 ? (
        <p class="hint">None took 100 ms or longer, or read 10,000 items.</p>
      ) : (
        <ul class="slow-queries">
          {queries.map((query) => (
            <li key={textOf(query)}>
              <div class="slow-query">
                <a class="clip" href={addressOf({ screen: 'bases', name: query.base, parameters: {} })}>
                  {visible(query.base)}
                </a>
                <code class="clip">{textOf(query)}</code>
              </div>
              <p class="meta">
                {countOf(query.times, 'time')}, the slowest {formatMilliseconds(query.max_ms)},{' '}
                {costOf(query)}, {formatFromNow(query.at)}
              </p>
              <Advice query={query} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Advice({ query: { base, suggestion } }: { readonly query: SlowQuery }) {
  if (suggestion === undefined) return null;
  const fields = suggestion.join(', ');
  return (
    <p class="advice">
      An index on <code>{visible(fields)}</code> would help.{' '}
      {mayShare.value && (
        <a href={addressOf({ screen: 'bases', name: base, parameters: { indexes: fields } })}>
          Make the index
        </a>
      )}
    </p>
  );
}

function costOf({ items, index }: SlowQuery): string {
  const read = items === 0 ? 'a page' : countOf(items, 'item');
  return index === undefined
    ? `${read} read without an index`
    : `${read} read by the index ${visible(index)}`;
}

/** `city, total ≥ … by -total, counted` */
function textOf({ conditions, order, counted }: SlowQuery): string {
  const parts = [
    conditions.length === 0 ? 'all items' : conditions.map((one) => visible(one)).join(' and '),
    ...(order.length === 0 ? [] : [`by ${order.map((one) => visible(one)).join(', ')}`]),
    ...(counted ? ['counted'] : []),
  ];
  return parts.join(', ');
}
