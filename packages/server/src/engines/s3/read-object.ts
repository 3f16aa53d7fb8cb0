import type { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { type ByteRange, summedBytes } from '../blob-store.js';
import { StorageUnavailable } from '../storage-errors.js';
import { inTime } from './client.js';
import type { ObjectAddress } from './options.js';

/** How many connections in a row may break before they deliver a byte. */
const maxEmptyAttempts = 3;

/**
 * The bytes of an object as they arrive. If a connection breaks, the read continues on a new one where it broke, as
 * often as connections deliver something: both the store and the client close one that waits for a slow reader. Throws
 * the store's error before the first chunk if the object does not exist.
 */
export async function* readObject(
  client: S3Client,
  address: ObjectAddress,
  range: ByteRange | undefined,
): AsyncGenerator<Buffer> {
  let at = range?.start ?? 0;
  let end = range?.end;
  let emptyAttempts = 0;
  do {
    const before = at;
    const { body, length } = await request(client, address, at, end);
    end ??= length - 1;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        for (let from = 0; from < chunk.length; from += summedBytes) {
          const piece = chunk.subarray(from, from + summedBytes);
          yield piece;
          at += piece.length;
        }
      }
    } catch (cause) {
      emptyAttempts = at === before ? emptyAttempts + 1 : 0;
      if (emptyAttempts === maxEmptyAttempts) throw cause;
    } finally {
      // A reader who stops early must not wait for the rest.
      body.destroy();
    }
  } while (at <= end);
}

interface ObjectBody {
  readonly body: Readable;
  readonly length: number;
}

/**
 * Requests the bytes from `start` to `end`; without `end`, all bytes. Throws `StorageUnavailable` if the answer has
 * another length.
 */
async function request(
  client: S3Client,
  address: ObjectAddress,
  start: number,
  end: number | undefined,
): Promise<ObjectBody> {
  const Range = end === undefined ? undefined : `bytes=${start}-${end}`;
  const { Body, ContentLength } = await inTime(client).send(new GetObjectCommand({ ...address, Range }));
  if (Body === undefined || ContentLength === undefined) {
    throw new StorageUnavailable(`The S3 store gave no body or no length for ${address.Key}`);
  }
  const body = Body as Readable;
  // A store without ranges gives all bytes; a store that lost some of them gives fewer.
  if (end !== undefined && ContentLength !== end - start + 1) {
    body.destroy();
    throw new StorageUnavailable(
      `The S3 store gave ${ContentLength} bytes of ${address.Key} for ${start} to ${end}`,
    );
  }
  return { body, length: ContentLength };
}
