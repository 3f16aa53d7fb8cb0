import { countedItems } from '../../base/indexes/writing/counted-items.js';
import { countedFiles } from '../../drive/counted-files.js';
import { createCounter, readCounter, type Tally, tallyOf } from '../../engines/counter.js';
import type { Counted } from '../../engines/first-count.js';
import type { ItemStore } from '../../engines/item-store.js';
import { baseSpaces } from '../../spaces.js';

/**
 * Compares the counters of a base or a drive with what there is, at one moment. Gives what is wrong. With `isRepaired`, a
 * counter that is wrong is deleted instead, and the server counts anew: gives how many.
 */
export async function checkCounters(
  items: ItemStore,
  space: string,
  isRepaired: boolean,
): Promise<{ readonly problems: readonly string[]; readonly repaired: number }> {
  const problems: string[] = [];
  let repaired = 0;
  for (const kind of space.startsWith(baseSpaces) ? [countedItems] : countedFiles) {
    const problem = await problemOf(items, space, kind);
    if (problem === undefined) continue;
    if (isRepaired) {
      const deletes = createCounter(kind.prefix, items.isShared).keys;
      await items.transact(space, [], () => ({ deletes, result: undefined }));
      repaired++;
    } else problems.push(problem);
  }
  return { problems, repaired };
}

async function problemOf(
  items: ItemStore,
  space: string,
  { prefix, range, bytesOf }: Counted,
): Promise<string | undefined> {
  if ((await items.get(space, prefix)) === undefined) return undefined;
  const snapshot = await items.snapshot(space);
  try {
    const counter = await readCounter(snapshot, prefix);
    if (!counter?.isWhole) return undefined;
    // A damaged row is counted, too, with bytes that nobody knows any more: `RowsDamaged` ends the comparison.
    const { rows, bytes } = await tallyOf(snapshot.scanText(range), bytesOf);
    const { sum } = counter;
    if (sum.rows === rows && sum.bytes === bytes) return undefined;
    return `the counter says ${shown(sum)}, and there are ${shown({ rows, bytes })}`;
  } finally {
    await snapshot.close();
  }
}

function shown({ rows, bytes }: Tally): string {
  return `${rows} with ${bytes} bytes`;
}
