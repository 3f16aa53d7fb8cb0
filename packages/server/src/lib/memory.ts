import { totalmem } from 'node:os';

/** The memory of the machine in bytes, or of the container that limits it. */
export function memoryBytes(): number {
  // If there is no limit, Node gives 0 or a number that exceeds all memory.
  const bounded = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(bounded, totalmem());
}
