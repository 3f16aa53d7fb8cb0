import { Icon } from '../../ui/icon.js';
import { visible } from '../../ui/visible.js';
import type { Condition, Groups } from './model.js';
import { operatorNamed } from './operators.js';
import { writeTyped } from './typed.js';

interface QueryPillsProps {
  /** The key from which on items are shown; empty for all. */
  readonly from: string;
  readonly groups: Groups | undefined;
  onRemoveFrom(): void;
  onEdit(group: number, at: number): void;
  onRemove(group: number, at: number): void;
}

/** Where the items begin, and the conditions of the query. */
export function QueryPills({ from, groups, onRemoveFrom, onEdit, onRemove }: QueryPillsProps) {
  return (
    <>
      {from !== '' && (
        <span class="pill">
          <span class="pill-text">
            <span class="pill-sign">from</span> {visible(from)}
          </span>
          <button
            type="button"
            class="pill-remove"
            aria-label="Show from the first key"
            onClick={onRemoveFrom}
          >
            <Icon name="x" size={14} />
          </button>
        </span>
      )}
      {groups === undefined && (
        <span class="pill">
          <span class="pill-text">JSON that is no query</span>
        </span>
      )}
      {groups?.map((conditions, group) =>
        conditions.map((condition, at) => (
          <Pill
            key={`${group}-${condition.path}?${condition.operator}`}
            condition={condition}
            joint={at > 0 ? 'and' : group > 0 ? 'or' : undefined}
            onEdit={() => onEdit(group, at)}
            onRemove={() => onRemove(group, at)}
          />
        )),
      )}
    </>
  );
}

interface PillProps {
  readonly condition: Condition;
  readonly joint: 'and' | 'or' | undefined;
  onEdit(): void;
  onRemove(): void;
}

function Pill({ condition, joint, onEdit, onRemove }: PillProps) {
  const { path, operator, operand } = condition;
  const text = writeTyped(condition);
  return (
    <>
      {joint === 'or' && <span class="joint">or</span>}
      <span class="pill">
        <button type="button" class="pill-text" title={`Edit: ${text}`} onClick={onEdit}>
          {path} <span class="pill-sign">{operatorNamed(operator)?.sign ?? `?${operator}`}</span>
          {operator === 'exists' && operand === 'true' ? '' : ` ${operand}`}
        </button>
        <button type="button" class="pill-remove" aria-label={`Remove ${text}`} onClick={onRemove}>
          <Icon name="x" size={14} />
        </button>
      </span>
    </>
  );
}
