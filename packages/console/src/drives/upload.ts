import { requestText } from '../api/request.js';
import { sendBytes } from '../api/send-bytes.js';
import { client } from '../api/session.js';

/** Larger files are sent in parts of this size (docs/http.md#chunked-upload). */
const partBytes = 10_000_000;
const partsAtOnce = 3;

/** What an upload needs, and what it tells. */
export interface UploadWork {
  readonly drive: string;
  readonly name: string;
  readonly file: File;
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
  const { drive, name, file, signal, onSent } = work;
  if (file.size > partBytes) return await uploadParts(work);
  const path = `/${encodeURIComponent(drive)}/files?name=${encodeURIComponent(name)}`;
  await sendBytes('POST', path, file, { type: file.type, signal, onSent });
}

async function uploadParts(work: UploadWork): Promise<void> {
  const { drive, name, file, signal, onSent } = work;
  const { uploadId, stored } = await openUpload(work);
  const path = `/${encodeURIComponent(drive)}/uploads/${uploadId}`;
  const query = `name=${encodeURIComponent(name)}`;
  const count = Math.ceil(file.size / partBytes);
  const sizeOf = (part: number) => Math.min(partBytes, file.size - (part - 1) * partBytes);
  const missing = Array.from({ length: count }, (_, n) => n + 1).filter(
    (part) => stored.get(part) !== sizeOf(part),
  );
  const sent = new Map<number, number>();
  const kept = file.size - missing.reduce((sum, part) => sum + sizeOf(part), 0);
  const report = () => onSent(kept + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0));
  report();

  const ended = new AbortController();
  const stop = () => ended.abort();
  signal.addEventListener('abort', stop);
  try {
    const sendNext = async (): Promise<void> => {
      for (let part = missing.shift(); part !== undefined; part = missing.shift()) {
        const number = part;
        const from = (number - 1) * partBytes;
        const bytes = file.slice(from, from + sizeOf(number));
        await sendBytes('POST', `${path}/parts?${query}&part=${number}`, bytes, {
          type: '',
          signal: ended.signal,
          onSent(loaded) {
            sent.set(number, loaded);
            report();
          },
        });
        sent.set(number, sizeOf(number));
        report();
      }
    };
    await Promise.all(Array.from({ length: partsAtOnce }, sendNext));
  } finally {
    // If one part fails, the others are not sent any more.
    stop();
    signal.removeEventListener('abort', stop);
  }
  await requestText('PATCH', `${path}?${query}`, { signal });
}

/** The upload of an earlier attempt with its parts, if the service still has it; else a new one. */
async function openUpload({
  drive,
  name,
  file,
  signal,
  uploadId,
  onOpen,
}: UploadWork): Promise<{ uploadId: string; stored: ReadonlyMap<number, number> }> {
  const found =
    uploadId === undefined ? null : await client().Drive(drive).upload(name, uploadId, { signal });
  if (found !== null) {
    const stored = new Map(found.parts.map(({ part, size }) => [part, size]));
    return { uploadId: found.upload_id, stored };
  }
  const path = `/${encodeURIComponent(drive)}/uploads?name=${encodeURIComponent(name)}`;
  const answer = await requestText('POST', path, {
    body: '',
    type: file.type || 'application/octet-stream',
    signal,
  });
  const opened = (JSON.parse(answer) as { upload_id: string }).upload_id;
  onOpen(opened);
  return { uploadId: opened, stored: new Map() };
}
