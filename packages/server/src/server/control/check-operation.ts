import type { Store } from '../../engines/store.js';
import type { Clock } from '../../lib/clock.js';
import type { CheckReport } from '../../store/check/report.js';
import { callControl, type Operations } from './socket.js';

const operation = 'check';

export interface CheckOperationDependencies extends Store {
  /** The data folder, in which `--repair` makes the quarantine. */
  readonly folder: string;
  readonly clock: Clock;
  /** A younger blob without a row is not an orphan: its row may still be written. */
  readonly orphanAgeSeconds: number;
  /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
  readonly holdGarbage: () => () => void;
}

/** The server's side of `check`. */
export function checkOperations({ folder, ...parts }: CheckOperationDependencies): Operations {
  return {
    [operation]: async (input) => {
      // Imported only now: so the server starts sooner.
      const { checkAndRepair } = await import('../../store/check/check-store.js');
      const repair = typeof input === 'object' && input !== null && Reflect.get(input, 'repair') === true;
      return await checkAndRepair({ ...parts, quarantineFolder: repair ? folder : undefined });
    },
  };
}

/** The command's side of `check`. Gives undefined if no server has the folder. */
export async function checkThroughServer(folder: string, repair: boolean) {
  return await callControl<CheckReport>(folder, operation, { repair });
}
