import { type ChangeLogRules, encodeLogValue, type NotedRows, type OnNoted } from '../change-log.js';
import type { Operation } from '../shared/group-commit.js';
import { encodeRow, rowKey } from './rows/row-encoding.js';

const numberDigits = 12;

export type ChangeNotes = ReturnType<typeof createChangeNotes>;

/**
 * What LevelDB notes of its commits, from here on. One process writes, so a counter is the order of commits. Keys of logs
 * are the generation and the number of the commit since the start.
 */
export function createChangeNotes({ notedRows, clock, generation }: ChangeLogRules) {
  const listeners = new Set<(logs: readonly string[]) => void>();
  let next = 0;
  /** The logs that the commit in progress has a row in. */
  let pending: readonly string[] = [];
  /** The last space that was looked up: most operations of a commit are of the same one. */
  let prefix = '\0';
  let space = '';
  let noted: NotedRows | undefined;

  function lookUp(id: string): void {
    const end = id.indexOf('\0');
    space = id.slice(0, end);
    prefix = id.slice(0, end + 1);
    noted = notedRows(space);
  }

  const keyOf = (number: number) => generation + String(number).padStart(numberDigits, '0');

  return {
    /** Gives the operations with those that note them. Call `committed` when they are written, before the next call. */
    withNotes(operations: readonly Operation[]): readonly Operation[] {
      const logs = new Map<string, Record<string, string[]>>();
      let keys: string[] | undefined;
      let keysOf = '';
      let told: Set<OnNoted> | undefined;
      for (const { key: id, isRewrite, onNoted } of operations) {
        if (!id.startsWith(prefix)) lookUp(id);
        if (noted === undefined || isRewrite) continue;
        const key = id.slice(prefix.length);
        if (!noted.isNoted(key)) continue;
        if (keys === undefined || keysOf !== space) {
          keys = listOf(logs, noted.log, space);
          keysOf = space;
        }
        keys.push(key);
        if (onNoted !== undefined) told = (told ?? new Set()).add(onNoted);
      }
      pending = [...logs.keys()];
      if (pending.length === 0) return operations;
      const number = keyOf(next);
      for (const tell of told ?? []) tell(number);
      const atSeconds = Math.floor(clock() / 1000);
      const all = operations.slice();
      for (const [log, spaces] of logs) {
        const key = rowKey(log, number);
        const value = encodeLogValue({ atSeconds, keys: spaces });
        all.push({ type: 'put', key, value: encodeRow(key, { key: number, value }) });
      }
      return all;
    },

    committed(): void {
      if (pending.length === 0) return;
      next++;
      const logs = pending;
      pending = [];
      for (const listener of listeners) listener(logs);
    },

    // Until a commit has ended, its number is not before this key.
    complete: async () => keyOf(next),

    onCommit(listener: (logs: readonly string[]) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The list of the keys of a space in the row of a log. */
function listOf(logs: Map<string, Record<string, string[]>>, log: string, space: string): string[] {
  let spaces = logs.get(log);
  if (spaces === undefined) {
    spaces = {};
    logs.set(log, spaces);
  }
  spaces[space] ??= [];
  return spaces[space];
}
