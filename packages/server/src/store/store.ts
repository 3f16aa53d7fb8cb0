import type { BlobStore } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';

/** Both halves of a store, open. */
export interface Store {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
}
