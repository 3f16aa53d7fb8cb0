import type { Kind } from '../../exact/scan.js';
import { Select } from '../../ui/select.js';

const kinds = (['string', 'number', 'boolean', 'null', 'list', 'object'] as const).map(
  (kind): readonly [Kind, string] => [kind, kind],
);

interface KindChoiceProps {
  readonly kind: Kind;
  /** What has the type, for screen readers. */
  readonly of: string;
  onChoose(kind: Kind): void;
}

/** The type of a value that is edited. */
export function KindChoice({ kind, of, onChoose }: KindChoiceProps) {
  return (
    <Select
      class="kind-choice"
      aria-label={`Type of ${of}`}
      value={kind}
      choices={kinds}
      onChoose={onChoose}
    />
  );
}
