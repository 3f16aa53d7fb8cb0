import { headerKey } from '../../engines/item-store.js';
import type { Claim } from '../../quotas/ledger.js';
import type { DriveContext } from '../context.js';
import { nameKey, type Piece, readRow } from '../rows.js';
import { readSettings } from '../trash/settings.js';
import type { Source } from './piece.js';

/** Bytes for which there is room in the quota of their project. */
export interface ClaimedBytes {
  readonly source: Source;
  readonly claim: Claim;
}

/**
 * Claims room for bytes that are to be stored in place of those of a row: as many as are announced at once, and more while they
 * arrive. Undefined in a project without a quota. Throws the 507 `RequestError` before anything is read.
 */
export async function claimBytes(
  { items, ledgers, trashSeconds }: Pick<DriveContext, 'items' | 'ledgers' | 'trashSeconds'>,
  { space, key }: { readonly space: string; readonly key: string },
  { source, announcedBytes = 0 }: { readonly source: Source; readonly announcedBytes?: number | undefined },
): Promise<ClaimedBytes | undefined> {
  const ledger = ledgers.of(space);
  if (ledger === undefined) return undefined;
  const [before, header] = await Promise.all([items.get(space, key), items.get(space, headerKey)]);
  const { trashSeconds: keptSeconds = trashSeconds } = readSettings(header);
  // What goes into the trash stays counted.
  const isKept = keptSeconds > 0 && key.startsWith(nameKey(''));
  const replaced = before === undefined || isKept ? 0 : readRow<Piece>(before).sizeBytes;
  const bytes = Buffer.isBuffer(source) ? source.length : announcedBytes;
  const claim = await ledger.claim(Math.max(0, bytes - replaced));
  return { source: Buffer.isBuffer(source) ? source : growing(source, { claim, replaced }), claim };
}

async function* growing(
  chunks: AsyncIterable<Buffer>,
  { claim, replaced }: { readonly claim: Claim; readonly replaced: number },
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const looked = claim.grow(bytes - replaced - claim.bytes);
    if (looked !== undefined) await looked;
    yield chunk;
  }
}
