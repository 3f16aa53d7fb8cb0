import type { Store } from '../engines/store.js';
import { OperatorError } from '../operator-error.js';
import type { Fault, Faults } from './faults.js';
import type { MovableClock } from './movable-clock.js';
import { textOf } from './named-values.js';
import type { Seeded } from './seed.js';
import { type Snapshot, takeSnapshot } from './snapshot.js';

/** What a test does with its server besides requests (docs/testing.md). */
export interface TestControl {
  /** The time of the server, in milliseconds since 1970 UTC. */
  now(): number;
  /** Moves the clock forward by a time with its unit (`90s`, `1h`, `30d`). Gives the new time. Throws `WrongValue`. */
  advance(by: string): number;
  /** Deletes everything, keys that were created too; sets the clock back; ends all faults. Snapshots stay. */
  reset(): Promise<void>;
  /** Stores `bases/NAME.json` and `drives/NAME/path…` of a folder or a zip archive. Throws `OperatorError`, `WrongValue`. */
  seed(folder: string): Promise<Seeded>;
  /** Keeps what is stored now. Gives the name of the snapshot for `restore`. */
  snapshot(): Promise<string>;
  /** Makes everything that is stored as it was at the snapshot; the clock and the faults stay. Throws `OperatorError`. */
  restore(snapshot: string): Promise<void>;
  /** Replaces all faults; an empty list ends them. Throws `WrongValue`. */
  faults(faults: readonly Fault[]): void;
}

export interface ControlDependencies {
  readonly clock: MovableClock;
  readonly faults: Faults;
  /** The store as it is now. */
  readonly store: () => Store;
  /** Puts an empty store in its place, or one as it was at the snapshot. */
  readonly replace: (snapshot?: Snapshot) => Promise<void>;
  readonly seed: (folder: string) => Promise<Seeded>;
}

export function createControl({ clock, faults, store, replace, seed }: ControlDependencies): TestControl {
  const snapshots = new Map<string, Snapshot>();
  return {
    now: clock.now,
    advance: clock.advance,
    async reset() {
      clock.reset();
      faults.set([]);
      await replace();
    },
    seed: async (folder) => await seed(textOf('folder', folder)),
    async snapshot() {
      const taken = await takeSnapshot(store());
      const name = String(snapshots.size + 1);
      snapshots.set(name, taken);
      return name;
    },
    async restore(name) {
      const snapshot = snapshots.get(textOf('snapshot', name));
      if (snapshot === undefined) throw new OperatorError(`There is no snapshot ${name}`);
      await replace(snapshot);
    },
    faults: faults.set,
  };
}
