import { countOf } from '../../ui/format.js';
import { visible, visibleName } from '../../ui/visible.js';
import { readRow } from '../view/row.js';
import { ValueOrNone } from '../view/value.js';
import type { ItemChange } from './session-history.js';

/** Items of a save that are shown one by one. */
const maxShown = 20;
/** Attributes of an item. */
const maxAttributes = 8;

/** What has changed of each item, attribute by attribute. */
export function ItemChanges({ changes }: { readonly changes: readonly ItemChange[] }) {
  const left = changes.length - maxShown;
  return (
    <ul class="history-items">
      {changes.slice(0, maxShown).map((change) => (
        <li key={change.key}>
          <strong class="mono">{visible(change.key)}</strong>
          <Attributes change={change} />
        </li>
      ))}
      {left > 0 && <li class="meta">and {countOf(left, 'more item', 'more items')}</li>}
    </ul>
  );
}

function Attributes({ change: { before, after } }: { readonly change: ItemChange }) {
  const old = attributesOf(before);
  const now = attributesOf(after);
  const names = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => name !== 'key' && old.get(name) !== now.get(name),
  );
  return (
    <>
      {names.slice(0, maxAttributes).map((name) => (
        <span key={name} class="history-value">
          <span class="meta">{visibleName(name)}</span> <ValueOrNone json={old.get(name)} maxShown={60} /> →{' '}
          <ValueOrNone json={now.get(name)} maxShown={60} />
        </span>
      ))}
      {names.length > maxAttributes && (
        <span class="meta">
          and {countOf(names.length - maxAttributes, 'more attribute', 'more attributes')}
        </span>
      )}
    </>
  );
}

const attributesOf = (text: string | undefined): ReadonlyMap<string, string> =>
  text === undefined ? new Map() : readRow(text).attributes;
