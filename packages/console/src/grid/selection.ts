import { batch, type ReadonlySignal, signal } from '@preact/signals';

/** The keys of the rows of a grid, in their order. An array is one. */
export interface KeyList {
  readonly length: number;
  at(row: number): string | undefined;
  slice(from: number, to: number): readonly string[];
}

/** The selected rows of a grid. */
export interface Selection {
  /** The keys of those that were selected one by one, or by ranges. */
  readonly keys: ReadonlySignal<ReadonlySet<string>>;
  /** Whether all there are are selected, loaded or not. Then `keys` is empty. */
  readonly isAll: ReadonlySignal<boolean>;
  /** Selects a row, or takes it out. With `isRange`, selects the rows from the anchor to it, in place of the range before. */
  toggle(row: number, keys: KeyList, isRange: boolean): void;
  /** Moves the end of a range from one row to another. A range that did not end at `from` begins there. */
  extend(from: number, to: number, keys: KeyList): void;
  /** Selects these keys, or none if they are selected already. */
  toggleAll(keys: KeyList): void;
  selectAll(): void;
  /** Takes rows out that are gone. */
  remove(keys: ReadonlySet<string>): void;
  clear(): void;
  /** Selects these keys and no others, as they were before. */
  restore(keys: readonly string[]): void;
}

/** Starts with nothing selected. */
export function createSelection(): Selection {
  const selected = signal<ReadonlySet<string>>(new Set());
  const isAll = signal(false);
  let anchor: number | undefined;
  /** What the last range added. */
  let ranged: readonly string[] = [];
  /** The row where it ended. */
  let end: number | undefined;

  function replace(keys: ReadonlySet<string>): void {
    batch(() => {
      selected.value = keys;
      isAll.value = false;
    });
  }

  const begin = (row: number | undefined) => {
    anchor = row;
    end = row;
    ranged = [];
  };
  /** The selected keys. Of all there are, those that are loaded. */
  const present = (keys: KeyList) => new Set(isAll.peek() ? keys.slice(0, keys.length) : selected.peek());

  function rangeTo(row: number, keys: KeyList): void {
    anchor ??= row;
    const next = present(keys);
    for (const key of ranged) next.delete(key);
    const range = keys.slice(Math.min(anchor, row), Math.max(anchor, row) + 1);
    ranged = range.filter((key) => !next.has(key));
    for (const key of ranged) next.add(key);
    end = row;
    replace(next);
  }

  function restore(keys: readonly string[]): void {
    begin(undefined);
    if (keys.length > 0 || selected.peek().size > 0 || isAll.peek()) replace(new Set(keys));
  }

  return {
    keys: selected,
    isAll,
    toggle(row, keys, isRange) {
      const key = row < 0 ? undefined : keys.at(row);
      if (key === undefined) return;
      if (isRange) return rangeTo(row, keys);
      const next = present(keys);
      if (!next.delete(key)) next.add(key);
      begin(row);
      replace(next);
    },
    extend(from, to, keys) {
      if (from !== end) begin(from);
      rangeTo(to, keys);
    },
    toggleAll(keys) {
      const all = keys.slice(0, keys.length);
      const areSelected = isAll.peek() || (all.length > 0 && all.every((key) => selected.peek().has(key)));
      begin(undefined);
      replace(new Set(areSelected ? [] : all));
    },
    selectAll() {
      batch(() => {
        selected.value = new Set();
        isAll.value = true;
      });
    },
    remove(keys) {
      begin(undefined);
      const next = new Set(Array.from(selected.peek()).filter((key) => !keys.has(key)));
      if (next.size < selected.peek().size) selected.value = next;
    },
    clear: () => restore([]),
    restore,
  };
}
