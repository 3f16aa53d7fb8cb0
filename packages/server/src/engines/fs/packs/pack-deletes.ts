import { open } from 'node:fs/promises';
import { allSettledOrThrow } from '../../../lib/concurrency/all-settled.js';
import { createSemaphore } from '../../../lib/concurrency/semaphore.js';
import { storageFailure } from '../errors.js';
import { readBytes } from '../read-file.js';
import { writeTogether } from '../write-together.js';
import type { PackCatalog } from './pack-catalog.js';
import { type PackedBlob, recordBytes } from './pack-ids.js';
import { isOf, type PackReads } from './pack-reads.js';
import type { PackRecord } from './read-records.js';
import { headerBytes, headerOf, readHeader } from './record.js';
import type { PackRewriterDependencies } from './rewriter.js';

export interface PackDeletesDependencies extends Pick<PackRewriterDependencies, 'catalog' | 'inTurn'> {
  readonly reads: PackReads;
  /** Is told of each blob that was marked as gone, in the turn of its pack. */
  readonly onGone: (pack: string, record: PackRecord) => void;
}

interface DeletedBlob extends PackedBlob {
  readonly id: string;
}

/** Of how many packs blobs are deleted at a time: each call of the disk waits for those of uploads. */
const packsAtOnce = 8;

/**
 * Gives a function that deletes those blobs that lie in packs, and gives the ids of the others. It rejects with
 * `StorageUnavailable`.
 */
export function createPackDeletes(
  dependencies: PackDeletesDependencies,
): (ids: readonly string[]) => Promise<readonly string[]> {
  const { catalog, reads, inTurn } = dependencies;
  const atMostEight = createSemaphore(() => packsAtOnce);
  return async (ids) => {
    const { byPack, others } = sorted(ids, catalog);
    const left = await allSettledOrThrow(
      [...byPack].map(([pack, blobs]) =>
        atMostEight(async () => {
          const work = () => inTurn(pack)(() => deleteFrom(pack, blobs, dependencies));
          const notThere = await reads.whileThere(pack, work, storageFailure);
          return notThere ?? blobs.map(({ id }) => id);
        }),
      ),
    );
    return others.concat(...left);
  };
}

/** The blobs by the pack in which each lies, and the ids of those that lie in none. */
function sorted(ids: readonly string[], catalog: PackCatalog) {
  const others: string[] = [];
  const byPack = new Map<string, DeletedBlob[]>();
  for (const id of ids) {
    const blob = catalog.find(id);
    if (blob === undefined) others.push(id);
    else {
      const known = byPack.get(blob.pack);
      if (known === undefined) byPack.set(blob.pack, [{ ...blob, id }]);
      else known.push({ ...blob, id });
    }
  }
  return { byPack, others };
}

/** Marks blobs of one pack as gone, and gives the ids of those that it does not have. */
async function deleteFrom(
  pack: string,
  blobs: readonly DeletedBlob[],
  { catalog, onGone }: Pick<PackDeletesDependencies, 'catalog' | 'onGone'>,
): Promise<readonly string[]> {
  const others: string[] = [];
  const file = await open(catalog.pathOf(pack), 'r+');
  try {
    for (const { id, at, sizeBytes } of blobs) {
      const header = readHeader(await readBytes(file.fd, at, headerBytes));
      if (!isOf(header, id)) {
        others.push(id);
        continue;
      }
      // A damaged header is written anew: no other blob was ever here.
      const { writtenMs } = header === 'damaged' ? { writtenMs: 0 } : header;
      const gone = { state: 'gone', id, lengthBytes: recordBytes(sizeBytes), writtenMs } as const;
      await writeTogether(file, [headerOf(gone)], at);
      onGone(pack, { ...gone, at, sizeBytes });
    }
  } finally {
    await file.close();
  }
  return others;
}
