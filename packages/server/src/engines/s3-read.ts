import type { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ByteRange } from './blob-store.js';
import { StorageUnavailable } from './failures.js';
import { inTime } from './s3-client.js';
import type { Place } from './s3-write.js';

/** What the contract lets a chunk have. */
const chunkBytes = 256 * 1024;
/** A store that gives nothing for so long has gone away; a reader that takes its time is not counted. */
const silenceMs = 10_000;
const maxResumes = 5;

/**
 * The bytes of an object, as they come. A connection that breaks in the middle is made again from where it broke.
 * Throws what the store said when the object is not there, before the first chunk.
 */
export async function* readObject(
  client: S3Client,
  place: Place,
  range: ByteRange | undefined,
): AsyncGenerator<Buffer> {
  let at = range?.start ?? 0;
  let end = range?.end;
  for (let resumes = 0; ; resumes++) {
    const { body, length } = await begin(
      client,
      place,
      end === undefined && at === 0 ? undefined : { start: at, end },
    );
    end ??= at + length - 1;
    try {
      for await (const chunk of inPieces(body)) {
        yield chunk;
        at += chunk.length;
      }
      if (at === end + 1) return;
      throw new StorageUnavailable(`The S3 store ended ${place.Key} at ${at}, before ${end + 1}`);
    } catch (cause) {
      if (resumes === maxResumes || at > end) throw cause;
    } finally {
      // Who stops early, or gave up, does not wait for the rest.
      body.destroy();
    }
  }
}

interface Begun {
  readonly body: Readable;
  readonly length: number;
}

async function begin(
  client: S3Client,
  place: Place,
  range: { readonly start: number; readonly end: number | undefined } | undefined,
): Promise<Begun> {
  const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end ?? ''}`;
  const { Body, ContentLength } = await inTime((abortSignal) =>
    client.send(new GetObjectCommand({ ...place, Range }), { abortSignal }),
  );
  if (Body === undefined || ContentLength === undefined) {
    throw new StorageUnavailable(`The S3 store gave no body or no length for ${place.Key}`);
  }
  return { body: Body as Readable, length: ContentLength };
}

/** The stream's chunks, none too large. Waits for the store only for a while, and for the reader as long as it takes. */
async function* inPieces(body: Readable): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const silent = () =>
      body.destroy(new StorageUnavailable(`The S3 store gave nothing for ${silenceMs} ms`));
    const timer = setTimeout(silent, silenceMs);
    let next: IteratorResult<Buffer>;
    try {
      next = await chunks.next();
    } finally {
      clearTimeout(timer);
    }
    if (next.done) return;
    for (let at = 0; at < next.value.length; at += chunkBytes) {
      yield next.value.subarray(at, at + chunkBytes);
    }
  }
}
