import { visible } from '../../ui/visible.js';
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
}

/** An item on a phone: its key, and its first attributes. */
export function Card({ itemKey, row, names }: CardProps) {
  if (row === undefined) return <div class="card-key clip">{visible(itemKey)}</div>;
  const others = names.flatMap((name): [string, string][] => {
    const json = name === 'key' ? undefined : row.attributes.get(name);
    return json === undefined ? [] : [[name, json]];
  });
  return (
    <>
      <div class="card-key clip">{visible(row.key)}</div>
      {others.slice(0, shown).map(([name, json]) => (
        <div key={name} class="card-line">
          <span class="card-name clip">{name === expiresName ? 'expires' : name}</span>
          {name === expiresName ? <ExpiryValue json={json} /> : <Value json={json} />}
        </div>
      ))}
      {others.length > shown && <div class="meta">{others.length - shown} more</div>}
    </>
  );
}
