import type { BlobStore } from '../engines/blob-store.js';
import { StorageUnavailable } from '../engines/storage-errors.js';
import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { ownerOf } from './identity.js';

export interface GuardOptions {
  /** That of the rows, which the blobs held when they were opened. */
  readonly identity: string;
  /** Where the blobs are, for people. */
  readonly place: string;
  /** Gets a line when other blobs are found in their place, and when they are back. */
  readonly log: Pick<Log, 'error' | 'info'>;
}

export interface GuardedBlobs {
  /** The same blobs, guarded. Their `ready` looks first, so a load balancer learns of an exchange at once. */
  readonly blobs: BlobStore;
  /** Looks whose blobs they are. Rejects with what a read throws, and then what was known stays valid. */
  look(): Promise<void>;
  /** Looks at once and from time to time, until the returned function is called. */
  start(): () => Promise<void>;
}

/** A bucket may be exchanged for a day before the search for orphans sees it: each look is one read of a small blob. */
const lookEveryMs = 20_000;
/** While they are others, so that writes are taken soon after they are back. */
const lookAgainMs = 2000;

type Owner = 'these rows' | 'other rows' | 'nobody';

/**
 * Blobs that refuse writes and deletes while they are not those of these rows: a bucket was emptied, or another folder is
 * mounted in place of theirs. What is stored there would be lost, and what is deleted would stay in the right ones. Reads
 * go on. What is refused rejects with `StorageUnavailable` (docs/operations.md#many-servers). A server that starts anew decides as
 * always whether it may have the blobs.
 */
export function guardBlobs(blobs: BlobStore, { identity, place, log }: GuardOptions): GuardedBlobs {
  let owner: Owner = 'these rows';
  /** A store that took no write at the start has no identity yet. */
  let wasSeen = false;

  async function look(): Promise<void> {
    const found = await ownerOf(blobs);
    const before = owner;
    if (found === identity) {
      owner = 'these rows';
      wasSeen = true;
    } else if (found !== undefined) owner = 'other rows';
    else owner = wasSeen ? 'nobody' : owner;
    if (owner !== before) note(before);
  }

  function note(before: Owner): void {
    if (owner === 'these rows')
      log.info({}, `the bytes of these rows are in ${place} again: files are stored there`);
    else if (before === 'these rows')
      log.error(
        {},
        `${exchanged(owner)} in ${place}, so nothing is stored or deleted there: bring the right ones back,` +
          ' which needs no restart (files that were stored within the last minute may be in the wrong place);' +
          ' if they are lost, restore a backup, or start the server again',
      );
  }

  function requireOurs(): void {
    if (owner === 'these rows') return;
    const reason = 'the blob store is not the one of these rows';
    throw new StorageUnavailable(`${exchanged(owner)} in ${place}`, { reason });
  }

  return {
    look,
    start: () =>
      repeat(
        () => look().catch(() => {}),
        () => (owner === 'these rows' ? lookEveryMs : lookAgainMs),
        0,
      ),
    blobs: {
      ...blobs,
      async write(id, chunks) {
        requireOurs();
        return await blobs.write(id, chunks);
      },
      writeUnlessThere:
        blobs.writeUnlessThere &&
        (async (id, bytes) => {
          requireOurs();
          return await blobs.writeUnlessThere!(id, bytes);
        }),
      async add(chunks) {
        requireOurs();
        return await blobs.add(chunks);
      },
      async delete(ids) {
        requireOurs();
        await blobs.delete(ids);
      },
      async ready() {
        await look();
        requireOurs();
      },
    },
  };
}

function exchanged(owner: Owner): string {
  return owner === 'nobody' ? 'the bytes of these rows are no longer' : 'the bytes of other rows are';
}
