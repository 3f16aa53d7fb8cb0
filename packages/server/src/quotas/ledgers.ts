import { Ledger, type Quota, type Stored } from './ledger.js';

/** The ledgers of the projects that have a quota. */
export interface Ledgers {
  /** That of the project of a space; undefined if it has no quota. It costs nothing while no project has one. */
  of(space: string): Ledger | undefined;
  /** Measures a project again the next time: it was changed in another way. */
  forget(project: string): void;
}

/** For rows without quotas. */
export const noLedgers: Ledgers = { of: () => undefined, forget() {} };

export interface LedgersOptions {
  /** Whether any project has a quota. */
  readonly isAny: () => boolean;
  readonly quotaOf: (project: string) => Quota | undefined;
  /** Gives what a project stores. Nothing is written into it meanwhile, except what was in progress. */
  readonly measure: (project: string) => Promise<Stored>;
}

export function createLedgers({ isAny, quotaOf, measure }: LedgersOptions): Ledgers {
  const ledgers = new Map<string, Ledger>();
  return {
    of(space) {
      if (!isAny()) {
        if (ledgers.size > 0) ledgers.clear();
        return undefined;
      }
      const from = space.indexOf('/') + 1;
      const project = space.slice(from, space.indexOf('/', from));
      if (quotaOf(project) === undefined) {
        ledgers.delete(project);
        return undefined;
      }
      let ledger = ledgers.get(project);
      if (ledger === undefined) {
        const measured = measure(project);
        ledger = new Ledger(
          () => quotaOf(project) ?? {},
          () => measured,
        );
        ledgers.set(project, ledger);
        measured.catch(() => ledgers.delete(project));
      }
      return ledger;
    },
    forget: (project) => void ledgers.delete(project),
  };
}
