import { visible } from '../../ui/visible.js';
import { expiresName } from './columns.js';
import type { Row } from './row.js';
import { ExpiryValue, Value } from './value.js';

/** Attributes that fit on a card. */
const shown = 3;

/** An item on a phone: its key, and its first attributes. */
export function Card({ itemKey, row }: { readonly itemKey: string; readonly row: Row | undefined }) {
  if (row === undefined) return <div class="card-key clip">{visible(itemKey)}</div>;
  const others = [...row.attributes].filter(([name]) => name !== 'key');
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
