import { countOf, formatCount } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';
import type { Condition } from '../query/model.js';
import { Glyph, Value } from '../view/value.js';
import type { AttributeProfile } from './read-profile.js';

interface AttributeRowProps {
  readonly attribute: AttributeProfile;
  /** All items that were read. */
  readonly items: number;
  onFilter(condition: Condition): void;
}

const frequentShare = 0.005;
const percents = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });

/** An attribute: how many items have it, its types, its range, and its most frequent values. */
export function AttributeRow({ attribute, items, onFilter }: AttributeRowProps) {
  const { path, kinds, numbers, strings, distinct, values } = attribute;
  const share = attribute.items / items;
  // Of thousands of different values none is frequent.
  const isFrequent = distinct !== undefined || (values[0]?.items ?? 0) > items * frequentShare;
  return (
    <li class="profile-row">
      <div class="profile-head">
        <span class="profile-name">
          {kinds.map(([kind]) => (
            <Glyph key={kind} kind={kind} />
          ))}
          <strong class="clip mono">{visible(path)}</strong>
        </span>
        <button
          type="button"
          class="profile-share"
          title={`${countOf(attribute.items, 'item')}: show them`}
          onClick={() => onFilter({ path, operator: 'exists', operand: 'true' })}
        >
          <Bar share={share} />
          {percents.format(share)}
          <span class="hidden-label">of the items have {visible(path)}: show them</span>
        </button>
      </div>
      <p class="meta profile-facts">
        {kinds.length > 1 && (
          <span>{kinds.map(([kind, count]) => `${formatCount(count)} ${kind}`).join(', ')}</span>
        )}
        {[numbers, strings].map(
          (range, n) =>
            range !== undefined && (
              <span key={n === 0 ? 'numbers' : 'strings'} class="profile-range">
                <Value json={range.min} /> … <Value json={range.max} />
              </span>
            ),
        )}
        {distinct !== undefined && <span>{countOf(distinct, 'different value')}</span>}
      </p>
      {isFrequent && values.length > 0 && (
        <ul class="profile-values" aria-label={`Frequent values of ${visible(path)}`}>
          {values.map(({ json, items: count }) => (
            <li key={json}>
              <button
                type="button"
                class="profile-value"
                title={`${countOf(count, 'item')}: show them`}
                onClick={() => onFilter({ path, operator: '', operand: json })}
              >
                <Bar share={count / items} />
                <Value json={json} maxShown={60} />
                <span class="meta">{formatCount(count)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Bar({ share }: { readonly share: number }) {
  return (
    <svg class="profile-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" class="profile-bar-all" />
      <rect width={100 * share} height="4" class="profile-bar-part" />
    </svg>
  );
}
