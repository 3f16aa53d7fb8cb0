import type { Deadline } from '../http/deadline.js';
import { networkError } from '../http/error.js';
import type { OpenAnswer } from '../http/request.js';
import { type FileMetadata, readMetadata } from './metadata.js';
import { type DownloadProgress, type GetFileProgress, trackDownload } from './progress.js';

/** An open file, with the readers of a `Response`. Only one of them can be used, once. */
export interface DriveFile {
  readonly name: string;
  /** The content type. */
  readonly type: string;
  /** Number of bytes: of the file, or of the range. */
  readonly size: number;
  /** 200, or 206 for a range. */
  readonly status: number;
  /** The `ETag`, which changes with every write of the file. */
  readonly etag: string | null;
  readonly lastModified: Date | null;
  /** What was noted of the file when it was stored or changed; empty if nothing was. */
  readonly metadata: FileMetadata;
  /** For a range: `bytes 0-99/1234`. */
  readonly contentRange: string | null;
  /** The bytes as they arrive. `stream().cancel()` ends the download. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  blob(): Promise<Blob>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes read as UTF-8. */
  text(): Promise<string>;
  /** The bytes read as JSON. */
  json<T = unknown>(): Promise<T>;
}

/**
 * Makes a file of the answer to a download, with what its headers say. Its body is read when the caller reads it; what then
 * fails is a `BasedriveError`. The deadline of the answer is closed at its end. `onProgress` is called as bytes arrive.
 */
export function openFile(
  name: string,
  { response, deadline }: OpenAnswer,
  onProgress: ((progress: GetFileProgress) => void) | undefined,
): DriveFile {
  const { headers, status } = response;
  const type = headers.get('content-type') ?? 'application/octet-stream';
  const modified = headers.get('last-modified');
  const length = headers.get('content-length');
  // A proxy may encode the body. Then its `Content-Length` is not the number of bytes that arrive.
  const total = length === null || headers.has('content-encoding') ? undefined : Number(length);
  // The readers are the platform's own. The stream makes every failure a `BasedriveError`.
  const stream = openStream(response, deadline, trackDownload(total, onProgress));
  const body = new Response(stream, { headers: { 'Content-Type': type } });
  return {
    name,
    type,
    size: Number(length),
    status,
    etag: headers.get('etag'),
    lastModified: modified === null ? null : new Date(modified),
    metadata: readMetadata(headers),
    contentRange: headers.get('content-range'),
    stream: () => body.body as ReadableStream<Uint8Array<ArrayBuffer>>,
    blob: () => body.blob(),
    arrayBuffer: () => body.arrayBuffer(),
    bytes: async () => new Uint8Array(await body.arrayBuffer()),
    text: () => body.text(),
    json: <T>() => body.json() as Promise<T>,
  };
}

/** Makes a stream of the body that reports its progress and closes the deadline at its end. */
function openStream(
  { body }: Response,
  deadline: Deadline,
  progress: DownloadProgress,
): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  const readChunk = async () => {
    try {
      return (await reader?.read())?.value;
    } catch (cause) {
      throw deadline.error() ?? networkError(cause);
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await readChunk();
          if (chunk) {
            progress.add(chunk.byteLength);
            return controller.enqueue(chunk);
          }
          progress.end();
          controller.close();
        } catch (error) {
          // The connection failed, or the caller's `onProgress` threw. The remaining bytes are not needed.
          controller.error(error);
          await reader?.cancel(error).catch(() => {});
        }
        deadline.close();
      },
      async cancel(reason) {
        deadline.close();
        await reader?.cancel(reason);
      },
    },
    // Nothing is read before the caller requests it.
    { highWaterMark: 0 },
  );
}
