import type { Change } from '../../engines/item-store.js';
import { randomId } from '../../lib/random-id.js';
import type { DriveContext } from '../context.js';
import { jsonRow, type LinkedRow, linkedKey, readRow, uploadKey, uploadRow } from '../rows.js';
import type { OpenUploads, UploadTarget } from './open-uploads.js';
import type { UploadCount } from './upload-count.js';

/** The upload of a link. */
export interface LinkedUpload {
  /** Stands for the link: of no two are they equal. */
  readonly link: string;
  readonly contentType: string;
  readonly maxBytes: number;
  /** The second from which on the link is not valid, since 1970 UTC. */
  readonly endsAtSeconds: number;
}

/**
 * Opens the upload of a link, unless it is open already. Gives its id. `count` bounds what is opened: it may throw instead of
 * running it.
 */
export async function openLinkedUpload(
  { items, clock }: DriveContext,
  { open, count }: { readonly open: OpenUploads; readonly count: UploadCount },
  { project, space, name }: UploadTarget & { readonly project: string },
  { link, contentType, maxBytes, endsAtSeconds }: LinkedUpload,
): Promise<string> {
  const key = linkedKey(link);
  for (;;) {
    const before = await items.get(space, key);
    const known = before && readRow<LinkedRow>(before).uploadId;
    if (known !== undefined && open.read(await items.get(space, uploadKey(known)), name)) return known;
    const decide = ([row, found]: readonly (Buffer | undefined)[]): Change<string | undefined> => {
      if ((row && readRow<LinkedRow>(row).uploadId) !== known) return { result: undefined };
      if (open.read(found, name) !== undefined) return { result: known };
      const id = randomId();
      const times = { openedMs: clock(), expiresAtSeconds: open.until(name) };
      const upload = { name, contentType, ...times, link, maxBytes, partBytes: 0, revision: 0 };
      const linked: LinkedRow = { uploadId: id, endsAtSeconds };
      const due = { ...jsonRow(key, linked), dueSeconds: endsAtSeconds };
      return { puts: [uploadRow(id, upload), due], result: id };
    };
    const opened = await count.open(
      project,
      () => items.transact(space, [key, uploadKey(known ?? '')], decide),
      (id) => id !== undefined && id !== known,
    );
    if (opened !== undefined) return opened;
  }
}
