import {
  DeleteObjectsCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isRandomId } from '../../lib/random-id.js';
import type { BlobStore, ByteRange, StoredBlob } from '../blob-store.js';
import { gather } from '../shared/collect-chunks.js';
import { createInFlight } from '../shared/in-flight.js';
import { BlobMissing, StorageUnavailable } from '../storage-errors.js';
import { inTime, openS3Client } from './client.js';
import { bytesFailure, isMissing, openFailure } from './errors.js';
import { abortAbandoned } from './multipart-upload.js';
import type { ObjectAddress, S3Options } from './options.js';
import { readObject } from './read-object.js';
import { writeObject } from './write-object.js';

/** What one call of S3 lists and deletes at most. */
const perCall = 1000;
/** No write of a blob lasts so long: an upload in parts that is older was left by a crash. */
const abandonedMs = 24 * 60 * 60 * 1000;

/**
 * The byte engine over any S3 store: `{prefix}ab/abcdef…`, an object a blob, spread by the first two digits of its
 * random id. It uses what all stores have: put, parts, get with ranges, head, delete of many, lists. Throws
 * `OperatorError` when the bucket cannot be used, `StorageUnavailable` when nobody answers.
 */
export async function openS3BlobStore(options: S3Options): Promise<BlobStore> {
  const { bucket, prefix } = options;
  const client = openS3Client(options);
  const { track, close } = createInFlight('blob store');

  const addressOf = (id: string): ObjectAddress => ({
    Bucket: bucket,
    Key: `${prefix}${id.slice(0, 2)}/${id}`,
  });

  async function* read(id: string, range?: ByteRange): AsyncGenerator<Buffer> {
    try {
      yield* readObject(client, addressOf(id), range);
    } catch (cause) {
      throw isMissing(cause) ? new BlobMissing(`There is no blob ${id}`) : bytesFailure(cause);
    }
  }

  try {
    await inTime((abortSignal) => client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal }));
  } catch (cause) {
    client.destroy();
    throw openFailure(cause, bucket);
  }

  return {
    write: (id, chunks) =>
      track(async () => {
        const source = toldApart(chunks);
        try {
          return await writeObject(client, addressOf(id), source.chunks);
        } catch (cause) {
          throw source.failure === undefined ? bytesFailure(cause) : source.failure.cause;
        }
      }),

    read,

    readWhole: (id, sizeBytes) => gather(read(id), sizeBytes),

    delete: (ids) =>
      track(async () => {
        for (let at = 0; at < ids.length; at += perCall) {
          const keys = ids.slice(at, at + perCall).map((id) => addressOf(id).Key);
          await removeAll(client, bucket, keys);
        }
      }).catch((cause) => {
        throw bytesFailure(cause);
      }),

    async *ids() {
      // Not every store can list them, and nothing depends on it: what fails is tried again with the next listing.
      track(() => abortAbandoned(client, options, Date.now() - abandonedMs)).catch(() => {});
      try {
        let ContinuationToken: string | undefined;
        do {
          const next = { Bucket: bucket, Prefix: prefix, MaxKeys: perCall, ContinuationToken };
          const page = await inTime((abortSignal) =>
            client.send(new ListObjectsV2Command(next), { abortSignal }),
          );
          for (const { Key = '', LastModified } of page.Contents ?? []) {
            const blob = storedBlob(Key.slice(prefix.length), LastModified);
            if (blob !== undefined) yield blob;
          }
          ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
        } while (ContinuationToken !== undefined);
      } catch (cause) {
        throw bytesFailure(cause);
      }
    },

    async close() {
      await close();
      client.destroy();
    },
  };
}

/**
 * AWS dates an object that came in parts by the beginning of its upload. The sweep leaves alone what is younger than
 * twice the time that a request may take, so an upload that has just ended is never too old for it.
 */
function storedBlob(path: string, written: Date | undefined): StoredBlob | undefined {
  const id = path.slice(3);
  if (written === undefined || !isRandomId(id) || path !== `${id.slice(0, 2)}/${id}`) return undefined;
  return { id, writtenSeconds: Math.floor(written.getTime() / 1000) };
}

async function removeAll(client: S3Client, bucket: string, keys: readonly string[]): Promise<void> {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
  const { Errors = [] } = await inTime((abortSignal) =>
    client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }), { abortSignal }),
  );
  const [first] = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
  if (first === undefined) return;
  throw new StorageUnavailable(
    `The S3 store did not delete ${Errors.length} objects: ${first.Code} ${first.Message}`,
  );
}

/** What the source throws is its caller's own, and no failure of the store. */
function toldApart(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
  const source: { failure: { readonly cause: unknown } | undefined; chunks: AsyncIterable<Buffer> } = {
    failure: undefined,
    chunks: watched(),
  };
  async function* watched(): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } catch (cause) {
      source.failure = { cause };
      throw cause;
    }
  }
  return source;
}
