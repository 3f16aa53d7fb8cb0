import type { Change } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import type { DriveContext } from '../context.js';
import { expiryOf, type FileRow, fileRow, liveFile, nameKey } from '../rows.js';
import { changedMetadata, isSameMetadata, type MetadataChanges } from './metadata.js';

/** The changes of a file. What is undefined stays as it is. */
export interface FileChanges {
  readonly contentType?: string | undefined;
  readonly metadata?: MetadataChanges | undefined;
  /** Whole seconds since 1970 UTC; null if the file is not to expire. */
  readonly expiresAtSeconds?: number | null | undefined;
  /** For how many seconds from now on the file exists. */
  readonly expiresInSeconds?: number | undefined;
}

/**
 * Changes when a file expires, its content type, or its metadata. Gives the changed file, or undefined if there is none.
 * Throws the 400 `RequestError` of metadata that is too large.
 */
export async function changeFile(
  { items, clock }: Pick<DriveContext, 'items' | 'clock'>,
  space: string,
  name: string,
  { contentType, metadata: metadataChanges, expiresAtSeconds, expiresInSeconds }: FileChanges,
): Promise<FileRow | undefined> {
  const key = nameKey(name);
  return await items.transact(space, [key], ([row]): Change<FileRow | undefined> => {
    const file = liveFile(row, nowSeconds(clock));
    if (file === undefined) return { result: undefined };
    const expires = expiryOf(
      { expiresAtSeconds: expiresAtSeconds ?? undefined, expiresInSeconds },
      nowSeconds(clock),
    );
    const metadata = changedMetadata(file.metadata, metadataChanges);
    const isNewType = contentType !== undefined && contentType !== file.contentType;
    const isAnother = isNewType || !isSameMetadata(metadata, file.metadata);
    const changed: FileRow = {
      ...file,
      contentType: contentType ?? file.contentType,
      expiresAtSeconds: expiresAtSeconds === null ? undefined : (expires ?? file.expiresAtSeconds),
      metadata,
      revision: isAnother ? (file.revision ?? 0) + 1 : file.revision,
    };
    return { puts: [fileRow(name, changed)], result: changed };
  });
}
