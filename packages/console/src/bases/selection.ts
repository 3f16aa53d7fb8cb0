import { type ReadonlySignal, signal } from '@preact/signals';

/** The keys of the selected items. */
export interface Selection {
  readonly keys: ReadonlySignal<ReadonlySet<string>>;
  /** Selects a row, or takes it out. With `isRange`, all rows from the one before to this one get the same state. */
  toggle(row: number, keys: readonly string[], isRange: boolean): void;
  /** Selects these keys, or none if they are selected already. */
  toggleAll(keys: readonly string[]): void;
  clear(): void;
}

/** Starts with nothing selected. */
export function createSelection(): Selection {
  const selected = signal<ReadonlySet<string>>(new Set());
  let lastRow: number | undefined;

  return {
    keys: selected,
    toggle(row, keys, isRange) {
      const key = keys[row];
      if (key === undefined) return;
      const next = new Set(selected.peek());
      const isSelected = !next.has(key);
      const from = isRange && lastRow !== undefined ? lastRow : row;
      for (const one of keys.slice(Math.min(from, row), Math.max(from, row) + 1)) {
        if (isSelected) next.add(one);
        else next.delete(one);
      }
      lastRow = row;
      selected.value = next;
    },
    toggleAll(keys) {
      const areSelected = keys.length > 0 && keys.every((key) => selected.peek().has(key));
      selected.value = areSelected ? new Set() : new Set(keys);
    },
    clear() {
      lastRow = undefined;
      if (selected.peek().size > 0) selected.value = new Set();
    },
  };
}
