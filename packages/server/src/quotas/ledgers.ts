import { projectOfSpace } from '../spaces.js';
import type { Ledger, Quota, QuotaName } from './ledger.js';

/** The ledgers of the projects that have a quota. */
export interface Ledgers {
  /** That of the project of a space; undefined if it has no quota. It costs nothing while no project has one. */
  of(space: string): Ledger | undefined;
  /** Measures a project again the next time: it was changed in another way. */
  forget(project: string): void;
  state(): QuotaState;
}

/** What is known of quotas, of all projects together. */
export interface QuotaState {
  /** Projects with a quota that were written to since the start. */
  readonly projects: number;
  /** By quota: how many of them have nine tenths of it, or more. */
  readonly near: Readonly<Record<QuotaName, number>>;
  /** By quota: how often something was refused since the start. */
  readonly refused: Readonly<Record<QuotaName, number>>;
}

/** For rows without quotas. */
export const noLedgers: Ledgers = {
  of: () => undefined,
  forget() {},
  state: () => ({ projects: 0, near: zeros(), refused: zeros() }),
};

const nearShare = 0.9;

function zeros(): Record<QuotaName, number> {
  return { items: 0, item_bytes: 0, files: 0, file_bytes: 0 };
}

export interface LedgersOptions {
  /** Whether any project has a quota. */
  readonly isAny: () => boolean;
  readonly quotaOf: (project: string) => Quota | undefined;
  readonly open: OpenLedger;
}

/** Opens the ledger of a project. */
export type OpenLedger = (
  project: string,
  events: {
    readonly onRefused: (quota: QuotaName) => void;
    /** The ledger cannot be used: the next write opens another one. */
    readonly onFailed: () => void;
  },
) => Ledger;

export function createLedgers({ isAny, quotaOf, open }: LedgersOptions): Ledgers {
  const ledgers = new Map<string, Ledger>();
  const refused = zeros();
  return {
    of(space) {
      if (!isAny()) {
        if (ledgers.size > 0) ledgers.clear();
        return undefined;
      }
      const project = projectOfSpace(space);
      if (quotaOf(project) === undefined) {
        ledgers.delete(project);
        return undefined;
      }
      let ledger = ledgers.get(project);
      if (ledger === undefined) {
        ledger = open(project, {
          onRefused: (quota) => refused[quota]++,
          onFailed: () => ledgers.delete(project),
        });
        ledgers.set(project, ledger);
      }
      return ledger;
    },
    forget: (project) => void ledgers.delete(project),

    state() {
      const near = zeros();
      for (const ledger of ledgers.values()) for (const quota of ledger.near(nearShare)) near[quota]++;
      return { projects: ledgers.size, near, refused };
    },
  };
}
