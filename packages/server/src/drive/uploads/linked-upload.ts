import type { Change } from '../../engines/item-store.js';
import { randomId } from '../../lib/random-id.js';
import type { DriveContext } from '../context.js';
import { jsonRow, type LinkedRow, linkedKey, readRow, uploadKey, uploadRow } from '../rows.js';
import type { OpenUploads, UploadTarget } from './open-uploads.js';

/** The upload of a link. */
export interface LinkedUpload {
  /** Stands for the link: of no two are they equal. */
  readonly link: string;
  readonly contentType: string;
  readonly maxBytes: number;
  /** The second from which on the link is not valid, since 1970 UTC. */
  readonly endsAtSeconds: number;
}

/** Opens the upload of a link, unless it is open already. Gives its id. */
export async function openLinkedUpload(
  { items, clock }: DriveContext,
  open: OpenUploads,
  { space, name }: UploadTarget,
  { link, contentType, maxBytes, endsAtSeconds }: LinkedUpload,
): Promise<string> {
  const key = linkedKey(link);
  for (;;) {
    const before = await items.get(space, key);
    const known = before && readRow<LinkedRow>(before).uploadId;
    const opened = await items.transact(
      space,
      [key, uploadKey(known ?? '')],
      ([row, found]): Change<string | undefined> => {
        if ((row && readRow<LinkedRow>(row).uploadId) !== known) return { result: undefined };
        if (open.read(found, name) !== undefined) return { result: known };
        const id = randomId();
        const times = { openedMs: clock(), expiresAtSeconds: open.until(name) };
        const upload = { name, contentType, ...times, link, maxBytes, partBytes: 0, revision: 0 };
        const linked: LinkedRow = { uploadId: id, endsAtSeconds };
        const due = { ...jsonRow(key, linked), dueSeconds: endsAtSeconds };
        return { puts: [uploadRow(id, upload), due], result: id };
      },
    );
    if (opened !== undefined) return opened;
  }
}
