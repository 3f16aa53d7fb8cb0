import type { BlobStore } from './blob-store.js';
import type { ItemStore } from './item-store.js';

/** Both halves of a store, open. */
export interface Store {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
}
