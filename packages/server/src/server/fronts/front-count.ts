import { availableParallelism } from 'node:os';
import { counted } from '../../lib/text/words.js';

/** With fewer cores, the fronts, the owner of the store and the threads of its engine take each other's time. */
const leastCores = 4;
/** A front needs 1.1 to 1.9 times what the owner needs for a request, so two keep it busy (docs/benchmarks.md). */
const whatPays = 2;

/** The number of fronts for the setting `workers`, and what the operator should know about it. */
export function frontCount(
  workers: number | 'auto',
  cores = availableParallelism(),
): { readonly count: number; readonly warnings: readonly string[] } {
  if (workers === 'auto') return { count: cores < leastCores ? 0 : whatPays, warnings: [] };
  if (workers === 0 || cores >= leastCores) return { count: workers, warnings: [] };
  const warning = `--workers ${workers} costs more than it saves on ${counted(cores, 'core')}`;
  return { count: workers, warnings: [warning] };
}
