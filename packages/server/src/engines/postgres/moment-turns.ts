import { createSemaphore } from '../../lib/concurrency/semaphore.js';
import { StorageUnavailable } from '../storage-errors.js';

/** Who may have a connection for as long as it reads at one moment. */
export interface MomentTurns {
  /** Waits for a turn, and gives what ends it. Rejects with `StorageUnavailable` after minutes. */
  take(isLong: boolean): Promise<() => void>;
  /** Ends all waits with this cause: the database does not answer. */
  fail(cause: unknown): void;
}

/** Those who wait do so for readers that go on, each of which is limited: this only ends what would never end. */
const waitMs = 120_000;

/** What may take seconds leaves one connection to all others, if there is more than one. */
export function createMomentTurns(connections: number): MomentTurns {
  const all = createSemaphore(() => connections);
  const long = createSemaphore(() => Math.max(1, connections - 1));
  const waiting = new Set<(cause: unknown) => void>();

  function take(isLong: boolean): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const leave = () => {
        isOver = true;
        clearTimeout(timer);
        waiting.delete(fail);
      };
      const fail = (cause: unknown) => {
        leave();
        reject(cause);
      };
      const onWait = () => {
        waiting.add(fail);
        timer ??= setTimeout(() => fail(new StorageUnavailable('The rows are read by too many')), waitMs);
      };
      const turn = async () => {
        if (isOver) return;
        leave();
        await new Promise<void>((end) => resolve(end));
      };
      void (isLong ? long(() => all(turn, onWait), onWait) : all(turn, onWait));
    });
  }

  return {
    take,
    fail(cause) {
      for (const end of [...waiting]) end(cause);
    },
  };
}
