import type { Put } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import { isCopied } from '../store/copy/copy-marker.js';
import { identityBlob } from '../store/identity.js';

/** All rows and blobs of a store in memory. */
export interface Snapshot {
  readonly spaces: ReadonlyMap<string, readonly Put[]>;
  readonly blobs: ReadonlyMap<string, Buffer>;
}

/** Copies a store. What is written in the meantime may be in the copy or not. */
export async function takeSnapshot({ items, blobs }: Store): Promise<Snapshot> {
  const spaces = new Map<string, readonly Put[]>();
  for await (const space of items.spaces('')) {
    if (!isCopied(space)) continue;
    const puts: Put[] = [];
    for await (const batch of items.scan(space, { withDue: true })) {
      for (const { key, value, dueSeconds } of batch)
        puts.push({ key, value: Buffer.from(value), ...(dueSeconds === undefined ? {} : { dueSeconds }) });
    }
    spaces.set(space, puts);
  }
  const bytes = new Map<string, Buffer>();
  for await (const { id, sizeBytes } of blobs.ids()) {
    // The rows of the new store have an identity of their own, which its blobs repeat already.
    if (id !== identityBlob) bytes.set(id, await blobs.readWhole(id, sizeBytes));
  }
  return { spaces, blobs: bytes };
}

/** Writes a snapshot into a new store. */
export async function fillStore({ items, blobs }: Store, snapshot: Snapshot): Promise<void> {
  for (const [id, bytes] of snapshot.blobs) await blobs.write(id, [bytes]);
  for (const [space, puts] of snapshot.spaces)
    await items.transact(space, [], () => ({ puts, result: undefined }));
}
