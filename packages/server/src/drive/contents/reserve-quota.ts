import { headerKey } from '../../engines/item-store.js';
import type { Reservation } from '../../quotas/ledger.js';
import type { DriveContext } from '../context.js';
import { readSettings } from '../drive-settings.js';
import { nameKey, type Piece, readRow } from '../rows.js';
import type { Source } from './piece.js';

/**
 * Reserves room in the quota of the project for bytes that are to be stored in place of those of a row. It reserves the
 * announced bytes at once, and more while bytes arrive. Gives undefined in a project without a quota. Throws the 507
 * `RequestError` before anything is read.
 */
export async function reserveBytes(
  { items, ledgers, trashSeconds }: Pick<DriveContext, 'items' | 'ledgers' | 'trashSeconds'>,
  { space, key }: { readonly space: string; readonly key: string },
  { source, announcedBytes = 0 }: { readonly source: Source; readonly announcedBytes?: number | undefined },
) {
  const ledger = ledgers.of(space);
  if (ledger === undefined) return undefined;
  const [before, header] = await Promise.all([items.get(space, key), items.get(space, headerKey)]);
  const { trashSeconds: keptSeconds = trashSeconds } = readSettings(header);
  // What goes into the trash stays counted.
  const isKept = keptSeconds > 0 && key.startsWith(nameKey(''));
  const replaced = before === undefined || isKept ? 0 : readRow<Piece>(before).sizeBytes;
  const bytes = Buffer.isBuffer(source) ? source.length : announcedBytes;
  const reservation = await ledger.reserve(Math.max(0, bytes - replaced));
  const growingSource = Buffer.isBuffer(source) ? source : growing(source, { reservation, replaced });
  return { source: growingSource, reservation };
}

async function* growing(
  chunks: AsyncIterable<Buffer>,
  { reservation, replaced }: { readonly reservation: Reservation; readonly replaced: number },
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const looked = reservation.grow(bytes - replaced - reservation.bytes);
    if (looked !== undefined) await looked;
    yield chunk;
  }
}
