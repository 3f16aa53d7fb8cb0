import type { Change } from '../../engines/item-store.js';
import type { Reservation } from '../../quotas/ledger.js';
import { pageTooLarge } from '../../request-error.js';
import { discard } from '../contents/garbage.js';
import { deleteUnnamed, requireFresh, type Source, storePiece } from '../contents/piece.js';
import { reserveBytes } from '../contents/reserve-quota.js';
import type { DriveContext } from '../context.js';
import {
  jsonRow,
  type PartRow,
  type Piece,
  partKey,
  readRow,
  type UploadRow,
  uploadKey,
  uploadRow,
} from '../rows.js';
import type { OpenUploads, UploadTarget } from './open-uploads.js';

/** A part as a request sends it. */
export interface NewPart {
  readonly uploadId: string;
  /** 1 to 10,000. */
  readonly part: number;
  readonly source: Source;
  /** The part's own Content-Type. */
  readonly contentType?: string | undefined;
  /** How many bytes the source will have, if the client has announced it. */
  readonly announcedBytes?: number | undefined;
  /** What is known only when the bytes are stored: asked once, after the source has ended. */
  readonly sums?: (() => Pick<PartRow, 'md5' | 'checksum' | 'continues'>) | undefined;
}

/**
 * Stores a part. Gives false if the upload is unknown, or was ended or aborted while the bytes arrived; then they are
 * discarded.
 */
export async function putPart(
  context: DriveContext,
  open: OpenUploads,
  target: UploadTarget,
  part: NewPart,
): Promise<boolean> {
  const key = partKey(part.uploadId, part.part);
  const reserved = await reserveBytes(context, { space: target.space, key }, part);
  try {
    return await storePart(context, open, target, { ...part, ...reserved });
  } finally {
    reserved?.reservation.end();
  }
}

async function storePart(
  { items, blobs, clock, inlineFileBytes, garbageDue, wakeMaintenance }: DriveContext,
  open: OpenUploads,
  { space, name }: UploadTarget,
  given: NewPart & { readonly reservation?: Reservation },
): Promise<boolean> {
  const { uploadId, part, source, contentType, sums, reservation } = given;
  const { piece, puts, arrivedMs } = await storePiece({ items, blobs, clock }, source, inlineFileBytes);
  const key = partKey(uploadId, part);
  const row: PartRow = { ...piece, contentType, ...sums?.(), modifiedMs: clock() };
  type Outcome = 'unknown' | 'added' | 'replaced';
  const decide = (rows: readonly (Buffer | undefined)[]): Change<Outcome> => {
    requireFresh(arrivedMs, clock());
    const [found, before] = rows;
    const upload = open.read(found, name);
    if (upload === undefined) return { result: 'unknown' };
    const known = before && readRow<PartRow>(before);
    const renewed = open.renewed(upload);
    const bounded = upload.maxBytes === undefined ? renewed : withPart(renewed, piece, known);
    const replaced = discard(known, garbageDue());
    return {
      puts: [uploadRow(uploadId, bounded), jsonRow(key, row), ...puts, ...replaced.puts],
      deletes: replaced.deletes,
      result: before === undefined ? 'added' : 'replaced',
    };
  };
  const adding = items.transact(space, [uploadKey(uploadId), key], decide, { reservation });
  const outcome = await adding.catch(async (cause) => {
    await deleteUnnamed(blobs, piece, cause);
    throw cause;
  });
  if (outcome === 'unknown' && piece.layout === 'blob') await blobs.delete([piece.id]);
  if (outcome === 'replaced') wakeMaintenance();
  return outcome !== 'unknown';
}

/** The upload of a link with one part more. Throws the 413 `RequestError` of parts that are too large together. */
function withPart(upload: UploadRow, { sizeBytes }: Piece, replaced: Piece | undefined): UploadRow {
  const partBytes = (upload.partBytes ?? 0) - (replaced?.sizeBytes ?? 0) + sizeBytes;
  if (partBytes > (upload.maxBytes ?? Number.POSITIVE_INFINITY)) throw pageTooLarge();
  return { ...upload, partBytes };
}
