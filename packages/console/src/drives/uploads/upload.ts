import { client } from '../../api/session.js';

/** What an upload needs, and what it tells. */
export interface UploadWork {
  readonly drive: string;
  readonly name: string;
  readonly file: File;
  /** Whether it takes the place of a file that has the name. If not and there is one, it fails with 412. */
  readonly isReplacing: boolean;
  readonly signal: AbortSignal;
  /** The open upload that an earlier attempt began; undefined for none. */
  readonly uploadId: string | undefined;
  /** An upload was opened: with its id, a later attempt can resume it. */
  onOpen(uploadId: string): void;
  /** How many bytes of the file have left, those of earlier attempts included. */
  onSent(bytes: number): void;
}

/** Stores a file. What an earlier attempt has stored of it is not sent again. The name appears when all is there. */
export async function upload(work: UploadWork): Promise<void> {
  const { drive, name, file, isReplacing, signal, uploadId, onOpen, onSent } = work;
  await client()
    .Drive(drive)
    .put(name, file, {
      contentType: file.type || 'application/octet-stream',
      signal,
      // Also against a file that gets the name in the meantime.
      ifNoneMatch: isReplacing ? undefined : '*',
      resume: { uploadId, onOpen },
      onProgress: ({ sent }) => onSent(sent),
    });
}
