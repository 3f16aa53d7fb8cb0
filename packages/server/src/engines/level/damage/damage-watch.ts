import type { OnDamage } from '../../engine.js';
import type { DamagedRow, RowDamage } from '../../storage-errors.js';
import { parseRowKey, rowKey } from '../rows/row-encoding.js';
import type { ComparedTables } from './compared-tables.js';
import { createFences, type KeySpan, readFences, spanOf, writeFences } from './fences.js';
import { findTableDamage, type TableSearch } from './table-damage.js';

/** Knows the damage of the files of an open LevelDB, and keeps readers and writers away from it. */
export type DamageWatch = Awaited<ReturnType<typeof createDamageWatch>>;

export interface DamageWatchDependencies {
  readonly folder: string;
  /** Learns which tables are right. */
  readonly compared: ComparedTables;
  readonly onDamage: OnDamage | undefined;
  /** Called when the list of tables is damaged. */
  readonly onListDamage: (damaged: RowDamage) => Promise<void>;
}

/** A search of all tables takes 2 s for each GB. */
const everywhereEveryMs = 10 * 60_000;
/** A row that was looked at once is no reason to search again. */
const maxSeen = 10_000;

export async function createDamageWatch(dependencies: DamageWatchDependencies) {
  const { folder, compared, onDamage, onListDamage } = dependencies;
  const fences = createFences(await readFences(folder));
  const inTables = new Map<string, RowDamage>();
  const seen = new Set<string>();
  let running: Promise<void> | undefined;
  let searchedMs = Number.NEGATIVE_INFINITY;
  let stopped = false;
  const mayContinue = () => !stopped;
  for (const span of fences.spans) onDamage?.(lostSpan(span));

  /**
   * Compares the checksums of tables and fences off what does not match. Gives all damage that it finds, also what is
   * fenced off since a table that is gone.
   */
  async function* find(search: TableSearch = {}): AsyncGenerator<RowDamage> {
    const found: KeySpan[] = [];
    for await (const damaged of findTableDamage(folder, { ...search, compared })) {
      const { file, offset, problem } = damaged;
      const plain: RowDamage = { file, problem, ...(offset !== undefined && { offset }) };
      if ('keys' in damaged) {
        found.push(damaged.keys);
        inTables.set(`${file} ${offset}`, plain);
        if (fences.add(damaged.keys)) await writeFences(folder, fences.spans).catch(() => {});
      } else await onListDamage(plain);
      yield plain;
    }
    if (search.around !== undefined) return;
    for (const span of fences.spans) {
      if (!found.some(({ from, to }) => from.equals(span.from) && to.equals(span.to))) yield lostSpan(span);
    }
  }

  function lostSpan({ from, to }: KeySpan): RowDamage {
    const [first, last] = [from, to].map((key) => JSON.stringify(parseRowKey(key.toString()).key));
    const { space } = parseRowKey(from.toString());
    return { file: folder, problem: `a damaged table had the rows from ${first} to ${last} of ${space}` };
  }

  async function findAround(id: string): Promise<void> {
    let found = 0;
    for await (const damaged of find({ mayContinue, around: spanOf(id, id) })) {
      found++;
      onDamage?.(damaged);
    }
    // The damage may be in the key, so that the row belongs elsewhere.
    if (found === 0) await findEverywhere();
  }

  async function findEverywhere(): Promise<void> {
    if (performance.now() - searchedMs < everywhereEveryMs) return;
    searchedMs = performance.now();
    for await (const damaged of find({ mayContinue })) onDamage?.(damaged);
  }

  /** Forgets all comparisons, even if no search begins: the next start compares every table that was not found right after this. */
  function begin(work: () => Promise<void>): void {
    compared.forgetAll();
    if (running !== undefined || stopped) return;
    running = work()
      // What was not found now is found by the next read, or by the next comparison of all tables.
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  }

  return {
    fences,
    /** The damage that was found in tables and is still there. */
    get inTables(): readonly RowDamage[] {
      return [...inTables.values()];
    },
    find,
    /** A row was damaged: others of its block may be missing or outdated, which no row shows by itself. */
    noteRow(row: DamagedRow): void {
      onDamage?.(row);
      const id = rowKey(row.space, row.key);
      if (seen.has(id)) return;
      if (seen.size === maxSeen) seen.clear();
      if (running === undefined) seen.add(id);
      begin(() => findAround(id));
    },
    /** LevelDB could not read a block, and does not say which. */
    noteCorruption: () => begin(findEverywhere),
    /** The tables were replaced by ones without the damage. */
    forgetTables: () => inTables.clear(),
    /** Resolves when the search in the background has ended. No more begins. */
    async stop(): Promise<void> {
      stopped = true;
      await running;
    },
  };
}
