import { directionOf } from '../../ui/direction.js';
import { visible, visibleName } from '../../ui/visible.js';
import { dateCell } from '../dates/date-text.js';
import type { DateForm } from '../dates/date-value.js';
import { expiresName } from './columns.js';
import type { Row } from './row.js';
import { ExpiryValue, Value } from './value.js';

/** Attributes that fit on a card. */
const shown = 3;

interface CardProps {
  readonly itemKey: string;
  readonly row: Row | undefined;
  /** The attributes that are shown, the first ones before. */
  readonly names: readonly string[];
  /** Those of them that are dates. */
  readonly dates: ReadonlyMap<string, DateForm>;
}

/** An item on a phone: its key, and its first attributes. */
export function Card({ itemKey, row, names, dates }: CardProps) {
  if (row === undefined)
    return (
      <div class="card-key clip" dir={directionOf(itemKey)}>
        {visible(itemKey)}
      </div>
    );
  const others = names.flatMap((name): [string, string][] => {
    const json = name === 'key' ? undefined : row.attributes.get(name);
    return json === undefined ? [] : [[name, json]];
  });
  return (
    <>
      <div class="card-key clip" dir={directionOf(row.key)}>
        {visible(row.key)}
      </div>
      {others.slice(0, shown).map(([name, json]) => (
        <div key={name} class="card-line">
          <span class="card-name clip">{name === expiresName ? 'expires' : visibleName(name)}</span>
          {name === expiresName ? (
            <ExpiryValue json={json} />
          ) : (
            <CardValue json={json} form={dates.get(name)} />
          )}
        </div>
      ))}
      {others.length > shown && <div class="meta">{others.length - shown} more</div>}
    </>
  );
}

function CardValue({ json, form }: { readonly json: string; readonly form: DateForm | undefined }) {
  const date = form === undefined ? undefined : dateCell(json, form);
  return date === undefined ? <Value json={json} /> : <span class="value clip">{date.content}</span>;
}
