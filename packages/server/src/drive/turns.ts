import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSharedSemaphores, type Semaphore } from '../lib/concurrency/semaphore.js';
import { memoryShare } from '../lib/memory.js';

/**
 * How many changes of many names are stored at once, and how many of a project. What waits together is synced together: beside 8
 * requests that moved 1000 files each, a put of another project took 270 ms.
 */
const changesAtOnce = 2;
const changesOfProject = 1;
/** Changes of so many names wait for nobody: as many as the items of a put. */
const fewNames = 25;

/** Runs a change of so many names of a project, when it is its turn. */
export type ManyNames = <T>(project: string, names: number, change: () => Promise<T>) => Promise<T>;

export function createManyNames(): ManyNames {
  const turns = createSharedSemaphores(changesAtOnce, changesOfProject);
  return (project, names, change) => (names <= fewNames ? change() : turns(project)(change));
}

/**
 * How many contents are copied at once, and how many of a project: 8 and 4 with 256 MiB. Each takes up to a megabyte between its
 * reader and its writer. There, 100 requests that copied 100 files of 10 MB each ended the server, and a get took 180 ms beside
 * them with more memory.
 */
const copiesAtOnce = memoryShare(32);
const copiesOfProject = memoryShare(16);

/** Admits the copy of one content of a project, when it is its turn (docs/http.md#copy-files). */
export type Copying = (project: string) => Semaphore;

export function createCopying(): Copying {
  return createSharedSemaphores(Math.max(2, copiesAtOnce), Math.max(1, copiesOfProject));
}

/** How many small files all copies together read in one turn of the event loop: about 2 ms. */
const rowsOfTurn = 50;

/** Resolves when another small file may be read; gives nothing if that is now. */
export type RowPace = () => Promise<void> | undefined;

/**
 * Rows that are in memory are read without a pause. So 8 requests that copied 1000 small files each read all of them in one
 * turn of the event loop, and a get took 260 ms beside them.
 */
export function createRowPace(): RowPace {
  let left = rowsOfTurn;
  let turn: Promise<void> | undefined;

  async function take(): Promise<void> {
    while (left === 0) {
      turn ??= nextTurn().then(() => {
        left = rowsOfTurn;
        turn = undefined;
      });
      await turn;
    }
    left--;
  }

  return () => {
    if (left === 0) return take();
    left--;
    return undefined;
  };
}
