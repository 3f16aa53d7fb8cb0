import { crc32 } from 'node:zlib';
import type { BlobStore } from '../../engines/blob-store.js';
import type { ItemStore, Put } from '../../engines/item-store.js';
import { ChangeRefused } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import type { Clock } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import { readHead } from '../../lib/read-head.js';
import { RequestError } from '../../request-error.js';
import { contentKey, type Piece } from '../rows.js';
import { textOfSums } from './checksums.js';

/**
 * The bytes of a body: buffered if it is known to be short, otherwise a stream. The stream throws if the body is too
 * long or incomplete, and does not use the memory of its chunks again.
 */
export type Source = Buffer | AsyncIterable<Buffer>;

/** Stored bytes, and the rows that must be written for them. */
export interface StoredPiece {
  readonly piece: Piece;
  readonly puts: readonly Put[];
  /** When the last bytes of a blob had come, in milliseconds since 1970 UTC. A row is written together with its name. */
  readonly arrivedMs?: number | undefined;
}

/**
 * Stores the bytes of one request. Few bytes are stored in a row that is written together with their name. More bytes
 * are stored in a blob, which is durable when the call resolves. If the call rejects (with the error of the source or
 * of the blob store, or because the item store would refuse the rows), nothing is kept.
 */
export async function storePiece(
  store: Store & { readonly clock: Clock },
  source: Source,
  inlineFileBytes: number,
): Promise<StoredPiece> {
  if (Buffer.isBuffer(source)) {
    return source.length <= inlineFileBytes ? rowPiece(source) : await blobPiece(store, [source]);
  }
  const head = await readHead(source, inlineFileBytes);
  try {
    return head.isAll ? rowPiece(Buffer.concat(head.chunks)) : await blobPiece(store, head.all());
  } finally {
    await head.end();
  }
}

export function rowPiece(bytes: Buffer): StoredPiece {
  const id = randomId();
  return {
    piece: { id, layout: 'row', sizeBytes: bytes.length, crc32: crc32(bytes) },
    puts: [{ key: contentKey(id), value: bytes }],
  };
}

/** Stores bytes in a blob. The source must not use the memory of its chunks again. */
export async function blobPiece(
  { items, blobs, clock }: Store & { readonly clock?: Clock },
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<StoredPiece> {
  let arrivedMs: number | undefined;
  const onEnd = () => {
    arrivedMs = clock?.();
  };
  const { id, sizeBytes, crc32: sum, chunkCrc32s: sums } = await blobs.add(whileRoom(items, chunks, onEnd));
  const piece: Piece = { id, layout: 'blob', sizeBytes, crc32: sum, chunkCrc32s: textOfSums(sums) };
  return { piece, puts: [], arrivedMs };
}

/** Deletes the bytes of a piece if the failure of the write that was to name them shows that no row does. */
export async function deleteUnnamed(
  blobs: BlobStore,
  { id, layout }: Piece,
  failure: unknown,
): Promise<void> {
  const isUnnamed = failure instanceof RequestError || failure instanceof ChangeRefused;
  if (isUnnamed && layout === 'blob') await blobs.delete([id]);
}

/** Less than the hour and the wait after which a blob without a row is removed as an orphan (docs/operations.md#maintenance). */
const namedWithinMs = 60 * 60 * 1000;

/**
 * Called in the transaction that names a piece. Throws `ChangeRefused` if its bytes came long ago: this server was stopped
 * meanwhile, and another one may have removed the blob as an orphan. The name would lose its bytes, also those that it had.
 */
export function requireFresh(arrivedMs: number | undefined, nowMs: number): void {
  if (arrivedMs !== undefined && nowMs - arrivedMs > namedWithinMs)
    throw new ChangeRefused('The bytes came too long ago to get a name: the server did not run meanwhile');
}

/** Uploads must not take the room that deletes need. */
async function* whileRoom(
  items: ItemStore,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  onEnd: () => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const refusal = await items.refusal?.();
    if (refusal !== undefined) throw refusal;
    yield chunk;
  }
  onEnd();
}
