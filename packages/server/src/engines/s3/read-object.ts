import type { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ByteRange } from '../blob-store.js';
import { StorageUnavailable } from '../storage-errors.js';
import { inTime } from './client.js';
import type { ObjectAddress } from './options.js';

/** What the contract lets a chunk have. */
const chunkBytes = 256 * 1024;
/** So often a connection may break in a row without a byte in between. */
const maxFruitless = 3;

/**
 * The bytes of an object, as they come. A connection that breaks in the middle is made again from where it broke, as
 * often as it gives something: the store ends one that waits for a slow reader, and so does the client.
 * Throws what the store said when the object is not there, before the first chunk.
 */
export async function* readObject(
  client: S3Client,
  address: ObjectAddress,
  range: ByteRange | undefined,
): AsyncGenerator<Buffer> {
  let at = range?.start ?? 0;
  let end = range?.end;
  let fruitless = 0;
  do {
    const before = at;
    const { body, length } = await begin(client, address, at, end);
    end ??= length - 1;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        for (let from = 0; from < chunk.length; from += chunkBytes) {
          const piece = chunk.subarray(from, from + chunkBytes);
          yield piece;
          at += piece.length;
        }
      }
    } catch (cause) {
      fruitless = at === before ? fruitless + 1 : 0;
      if (fruitless === maxFruitless) throw cause;
    } finally {
      // Who stops early, or gave up, does not wait for the rest.
      body.destroy();
    }
  } while (at <= end);
}

interface Begun {
  readonly body: Readable;
  readonly length: number;
}

/** Asks for the bytes from `start` to `end`, the last one when it is undefined. They are as many as that, or none. */
async function begin(
  client: S3Client,
  address: ObjectAddress,
  start: number,
  end: number | undefined,
): Promise<Begun> {
  const Range = end === undefined ? undefined : `bytes=${start}-${end}`;
  const { Body, ContentLength } = await inTime((abortSignal) =>
    client.send(new GetObjectCommand({ ...address, Range }), { abortSignal }),
  );
  if (Body === undefined || ContentLength === undefined) {
    throw new StorageUnavailable(`The S3 store gave no body or no length for ${address.Key}`);
  }
  const body = Body as Readable;
  // A store that knows no ranges gives all of it; one that lost the end of it gives less.
  if (end !== undefined && ContentLength !== end - start + 1) {
    body.destroy();
    throw new StorageUnavailable(
      `The S3 store gave ${ContentLength} bytes of ${address.Key} for ${start} to ${end}`,
    );
  }
  return { body, length: ContentLength };
}
