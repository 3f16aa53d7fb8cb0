import type { Change } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import type { DriveContext } from '../context.js';
import { expiryOf, type FileRow, fileRow, liveFile, nameKey } from '../rows.js';

/** The changes of a file. What is undefined stays as it is. */
export interface FileChanges {
  readonly contentType?: string | undefined;
  /** Whole seconds since 1970 UTC; null if the file is not to expire. */
  readonly expiresAtSeconds?: number | null | undefined;
  /** For how many seconds from now on the file exists. */
  readonly expiresInSeconds?: number | undefined;
}

/** Changes when a file expires, or its content type. Gives the changed file, or undefined if there is none. */
export async function changeFile(
  { items, clock }: Pick<DriveContext, 'items' | 'clock'>,
  space: string,
  name: string,
  { contentType, expiresAtSeconds, expiresInSeconds }: FileChanges,
): Promise<FileRow | undefined> {
  const key = nameKey(name);
  return await items.transact(space, [key], ([row]): Change<FileRow | undefined> => {
    const file = liveFile(row, nowSeconds(clock));
    if (file === undefined) return { result: undefined };
    const expires = expiryOf(
      { expiresAtSeconds: expiresAtSeconds ?? undefined, expiresInSeconds },
      nowSeconds(clock),
    );
    const isNewType = contentType !== undefined && contentType !== file.contentType;
    const changed: FileRow = {
      ...file,
      contentType: contentType ?? file.contentType,
      expiresAtSeconds: expiresAtSeconds === null ? undefined : (expires ?? file.expiresAtSeconds),
      revision: isNewType ? (file.revision ?? 0) + 1 : file.revision,
    };
    return { puts: [fileRow(name, changed)], result: changed };
  });
}
