import { DeleteObjectsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { groupsOf } from '../../lib/groups.js';
import { isRandomId, randomId } from '../../lib/random-id.js';
import type { BlobInfo, BlobStore, ByteRange, StoredBlob } from '../blob-store.js';
import { collectChunks } from '../shared/collect-chunks.js';
import { createInFlight } from '../shared/in-flight.js';
import { BlobMissing, StorageUnavailable } from '../storage-errors.js';
import { completeIdleMs, inTime, openS3Client } from './client.js';
import { bytesFailure, isMissing, openFailure } from './errors.js';
import { abortAbandonedUploads, keptByUpload } from './multipart-upload.js';
import { openBucket } from './open-bucket.js';
import type { ObjectAddress, S3Options } from './options.js';
import { readObject } from './read-object.js';
import { writeObject, writeObjectUnlessThere } from './write-object.js';

/** The maximum number of objects that one call of S3 lists or deletes. */
const maxPerCall = 1000;
/** No write of a blob takes this long, so an older multipart upload was left by a crash. */
const abandonedMs = 24 * 60 * 60 * 1000;

/**
 * The blob store over any S3 store. Each blob is an object `{prefix}ab/abcdef…`, where `ab` are the first two digits of
 * its id. The engine needs only what all stores have: put, multipart upload, get with ranges, head, delete of
 * many objects, and lists. It asks for a condition where one that is ignored does no harm. Throws `OperatorError` if the
 * bucket cannot be used, and `StorageUnavailable` if the store does not answer.
 */
export async function openS3BlobStore(options: S3Options): Promise<BlobStore> {
  const { bucket, prefix } = options;
  const client = openS3Client(options);
  const clients = { client, patient: openS3Client(options, completeIdleMs) };
  const { track, close: closeCalls } = createInFlight('blob store');

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

  function write(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo> {
    return track(async () => {
      const source = watchSource(chunks);
      try {
        return await writeObject(clients, addressOf(id), source.chunks);
      } catch (cause) {
        throw source.failure === undefined ? bytesFailure(cause) : source.failure.cause;
      }
    });
  }

  try {
    await openBucket(client, bucket);
  } catch (cause) {
    client.destroy();
    throw openFailure(cause, bucket);
  }

  return {
    keptByWrite: keptByUpload,

    replaces: true,

    write,

    writeUnlessThere: (id, bytes) =>
      track(() => writeObjectUnlessThere(client, addressOf(id), bytes)).catch((cause) => {
        throw bytesFailure(cause);
      }),

    async add(chunks) {
      const id = randomId();
      return { id, ...(await write(id, chunks)) };
    },

    read,

    readWhole: (id, sizeBytes) => collectChunks(read(id), sizeBytes),

    delete: (ids) =>
      track(async () => {
        for (const some of groupsOf(ids, maxPerCall)) {
          const keys = some.map((id) => addressOf(id).Key);
          await removeAll(client, bucket, keys);
        }
      }).catch((cause) => {
        throw bytesFailure(cause);
      }),

    async *ids() {
      // Not every store can list multipart uploads, and nothing depends on it. The next listing tries again.
      track(() => abortAbandonedUploads(client, options, abandonedMs)).catch(() => {});
      try {
        let ContinuationToken: string | undefined;
        do {
          const next = { Bucket: bucket, Prefix: prefix, MaxKeys: maxPerCall, ContinuationToken };
          const page = await inTime(client).send(new ListObjectsV2Command(next));
          for (const { Key = '', LastModified, Size = 0 } of page.Contents ?? []) {
            const blob = storedBlob(Key.slice(prefix.length), LastModified, Size);
            if (blob !== undefined) yield blob;
          }
          ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
        } while (ContinuationToken !== undefined);
      } catch (cause) {
        throw bytesFailure(cause);
      }
    },

    async close() {
      await closeCalls();
      clients.patient.destroy();
      client.destroy();
    },
  };
}

/**
 * AWS dates the object of a multipart upload by the start of the upload. Only orphans that are older than twice the time
 * limit of a request are removed, so the blob of an upload that has just ended is never too old.
 */
function storedBlob(path: string, written: Date | undefined, sizeBytes: number): StoredBlob | undefined {
  const id = path.slice(3);
  if (written === undefined || !isRandomId(id) || path !== `${id.slice(0, 2)}/${id}`) return undefined;
  return { id, writtenSeconds: Math.floor(written.getTime() / 1000), sizeBytes };
}

async function removeAll(client: S3Client, bucket: string, keys: readonly string[]): Promise<void> {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
  const { Errors = [] } = await inTime(client).send(new DeleteObjectsCommand({ Bucket: bucket, Delete }));
  const [first] = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
  if (first === undefined) return;
  throw new StorageUnavailable(
    `The S3 store did not delete ${Errors.length} objects: ${first.Code} ${first.Message}`,
  );
}

/**
 * The chunks, and the error that their source threw: it reaches the caller unchanged, because the store did not fail.
 */
function watchSource(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
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
