import { readChecked, WrongBytes } from '../../drive/contents/checksums.js';
import { readRowChecked } from '../../drive/contents/content.js';
import { bytesKey, type NamedContent, piecesOf } from '../../drive/contents/row-contents.js';
import { contentKey, type Piece } from '../../drive/rows.js';
import { BlobMissing, isUnreadable, StorageUnavailable } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';

/**
 * What is wrong with the bytes of a file or a part, or undefined. All of them are read; `read` is called with their
 * number. Throws `RowUnreadable` for a list of pieces that cannot be read, and `StorageUnavailable`.
 */
export async function contentProblem(
  store: Store,
  space: string,
  content: NamedContent,
  read: (bytes: number) => void,
): Promise<string | undefined> {
  const pieces = await piecesOf(store.items, space, content);
  if (pieces === undefined) return `the list of its parts, ${contentKey(content.id)}, is missing`;
  const sum = pieces.reduce((total, piece) => total + piece.sizeBytes, 0);
  if (sum !== content.sizeBytes) return `its parts have ${sum} bytes, it should have ${content.sizeBytes}`;
  for (const piece of pieces) {
    const problem = await pieceProblem(store, space, piece);
    if (problem !== undefined) return problem;
    read(piece.sizeBytes);
  }
  return undefined;
}

async function pieceProblem(store: Store, space: string, piece: Piece): Promise<string | undefined> {
  const { id, layout } = piece;
  try {
    if (bytesKey(piece) !== undefined) await readRowChecked(store, space, piece);
    else for await (const _chunk of readChecked(store.blobs, piece));
    return undefined;
  } catch (cause) {
    if (cause instanceof StorageUnavailable && !isUnreadable(cause)) throw cause;
    if (cause instanceof WrongBytes) return cause.message;
    if (cause instanceof BlobMissing) return `its bytes, ${layout} ${id}, are missing`;
    return `its bytes, ${layout} ${id}, cannot be read: ${String(cause)}`;
  }
}
