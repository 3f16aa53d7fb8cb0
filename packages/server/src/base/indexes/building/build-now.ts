import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFirstCount } from '../../../engines/first-count.js';
import { headerKey, type ItemStore } from '../../../engines/item-store.js';
import { HeadersUnsupported } from '../../../engines/storage-errors.js';
import { type Clock, nowSeconds } from '../../../lib/clock.js';
import { isRowExpired } from '../../items/expiry.js';
import { countedItems } from '../writing/counted-items.js';
import { createIndexedStore } from '../writing/indexed-store.js';
import { createIndexWork } from './background-work.js';

/**
 * Builds the declared indexes of a base that nobody serves, and counts its items if that is wanted. Resolves when they
 * are ready; at once if they are, or if the storage can only build them while a server runs.
 */
export async function buildIndexesNow(items: ItemStore, space: string, clock: Clock): Promise<void> {
  if ((await items.get(space, headerKey)) === undefined) return;
  const mayWork = () => true;
  let failure: { readonly cause: unknown } | undefined;
  const onError = (cause: unknown) => {
    failure = { cause };
  };
  const isExpired = (row: Buffer) => isRowExpired(row, nowSeconds(clock));
  const work = createIndexWork({
    items,
    indexedStore: createIndexedStore(items, isExpired),
    mayWork,
    log: { error: ({ err }: { readonly err?: unknown }) => onError(err) },
    isExpired,
    firstCount: createFirstCount(items, [countedItems], { mayWork, onError, beginRests: () => nextTurn }),
  });
  try {
    await work.run(space);
    if (failure !== undefined) throw failure.cause;
  } catch (cause) {
    if (!(cause instanceof HeadersUnsupported)) throw cause;
  } finally {
    await work.stop();
  }
}
