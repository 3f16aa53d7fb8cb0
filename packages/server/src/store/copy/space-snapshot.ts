import type { ItemStore, ScannedRow, ScanRange } from '../../engines/item-store.js';

/**
 * A space of the source as it was at one moment. Contents move from name to name in one transaction, so only at one
 * moment does each have one name.
 */
export interface SpaceSnapshot {
  /** The rows of a range, with their due times. */
  scan(range: ScanRange): AsyncIterable<readonly ScannedRow[]>;
  /** For single rows of text: lists of pieces, uploads. */
  readonly items: Pick<ItemStore, 'get'>;
}

/** Close it soon: a database holds a connection for it, and keeps old rows. */
export async function openSpaceSnapshot(
  items: ItemStore,
  space: string,
): Promise<SpaceSnapshot & { close(): Promise<void> }> {
  const snapshot = await items.snapshot(space);
  return {
    scan: (range) => snapshot.scan({ ...range, withDue: true }),
    items: {
      async get(_space, key) {
        const [text] = await snapshot.texts([key]);
        return text === undefined ? undefined : Buffer.from(text);
      },
    },
    close: () => snapshot.close(),
  };
}
