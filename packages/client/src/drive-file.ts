import type { Deadline } from './deadline.js';
import { networkError, type OpenAnswer } from './request.js';

/** A file that is being read: a `Response` in small. One of the readers may be used, once. */
export interface DriveFile {
  readonly name: string;
  /** The content type. */
  readonly type: string;
  /** Bytes that come: those of the range, when there is one. */
  readonly size: number;
  /** 200, or 206 for a range. */
  readonly status: number;
  /** `ETag`, new with every write of the file. */
  readonly etag: string | null;
  readonly lastModified: Date | null;
  /** `bytes 0-99/1234`, for a range. */
  readonly contentRange: string | null;
  /** The bytes as they come. `stream().cancel()` ends a download that is no longer wanted. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  blob(): Promise<Blob>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes read as UTF-8. */
  text(): Promise<string>;
  /** The bytes read as JSON. */
  json<T = unknown>(): Promise<T>;
}

export function openFile(name: string, { response, deadline }: OpenAnswer): DriveFile {
  const { headers, status } = response;
  const type = headers.get('content-type') ?? 'application/octet-stream';
  const modified = headers.get('last-modified');
  // The readers of the platform, over a stream whose failures are errors of ours.
  const body = new Response(guarded(response, deadline), { headers: { 'Content-Type': type } });
  return {
    name,
    type,
    size: Number(headers.get('content-length')),
    status,
    etag: headers.get('etag'),
    lastModified: modified === null ? null : new Date(modified),
    contentRange: headers.get('content-range'),
    stream: () => body.body as ReadableStream<Uint8Array<ArrayBuffer>>,
    blob: () => body.blob(),
    arrayBuffer: () => body.arrayBuffer(),
    bytes: async () => new Uint8Array(await body.arrayBuffer()),
    text: () => body.text(),
    json: <T>() => body.json() as Promise<T>,
  };
}

/** The body, with the deadline closed at its end. */
function guarded({ body }: Response, deadline: Deadline): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await reader?.read();
          if (chunk?.value) return controller.enqueue(chunk.value);
          controller.close();
        } catch (cause) {
          controller.error(deadline.error() ?? networkError(cause));
        }
        deadline.close();
      },
      async cancel(reason) {
        deadline.close();
        await reader?.cancel(reason);
      },
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  );
}
