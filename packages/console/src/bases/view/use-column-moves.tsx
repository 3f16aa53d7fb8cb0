import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { visibleName } from '../../ui/visible.js';
import type { Column } from './columns.js';
import { inOrder, moveColumn } from './layout.js';

interface UsedColumnMoves {
  /** Moves a column before another one; without one, after all that are shown. */
  onMove(name: string, before: string | undefined): void;
  /** Says where a column is now, to screen readers. */
  readonly status: VNode;
}

/** Moves columns in the grid. `shown` are those that are not hidden, `all` the others, too. */
export function useColumnMoves(
  base: string,
  shown: readonly Column[],
  all: readonly Column[],
): UsedColumnMoves {
  const text = useSignal('');
  return {
    onMove(name, before) {
      moveColumn(base, inOrder(base, all), name, before);
      const others = shown.filter((column) => column.name !== name);
      const found = others.findIndex((column) => column.name === before);
      const at = found === -1 ? others.length : found;
      text.value = `${visibleName(name)} is column ${at + 1} of ${shown.length}`;
    },
    status: (
      <span class="hidden-label" role="status">
        {text}
      </span>
    ),
  };
}
