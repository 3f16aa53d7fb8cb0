import type { Kind } from '../../exact/scan.js';

const kinds: readonly Kind[] = ['string', 'number', 'boolean', 'null', 'list', 'object'];

interface KindChoiceProps {
  readonly kind: Kind;
  onChoose(kind: Kind): void;
}

/** The type of a value that is edited. */
export function KindChoice({ kind, onChoose }: KindChoiceProps) {
  return (
    <select
      class="kind-choice"
      aria-label="Type"
      value={kind}
      onChange={(event) => onChoose(kinds.find((name) => name === event.currentTarget.value) ?? 'string')}
    >
      {kinds.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
