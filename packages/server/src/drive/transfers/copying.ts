import { createSharedSemaphores, type Semaphore } from '../../lib/concurrency/semaphore.js';
import { memoryShare } from '../../lib/memory.js';

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
