import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { BlobInfo } from './blob-store.js';
import { StorageUnavailable } from './failures.js';
import { inTime } from './s3-client.js';

/** Where an object lies. */
export interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** The least that S3 takes for a part that is not the last one: so much is held in memory of each write. */
const partBytes = 5 * 1024 * 1024;
/** Every thousand parts they are twice as large, so that ten thousand of them hold more than any disk. */
const partsOfOneSize = 1000;

/**
 * Streams the chunks into an object: in one call when they are few, else in parts. The store is sent the MD5 of all it
 * is sent, and what it says it has is compared with that and with the size. Whatever fails, nothing is left behind.
 */
export async function writeObject(
  client: S3Client,
  place: Place,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<BlobInfo> {
  let sizeBytes = 0;
  let checksum = 0;
  let upload: PartsUpload | undefined;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  function taken(): Buffer {
    const bytes = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    return bytes;
  }

  try {
    for await (const chunk of chunks) {
      checksum = crc32(chunk, checksum);
      sizeBytes += chunk.length;
      // The source may use the chunk's memory again.
      waiting.push(Buffer.from(chunk));
      waitingBytes += chunk.length;
      if (waitingBytes < partSize(upload?.count ?? 0)) continue;
      upload ??= await beginParts(client, place);
      await upload.add(taken());
    }
    if (upload === undefined) await putWhole(client, place, taken());
    else await upload.complete(taken(), sizeBytes);
    return { sizeBytes, crc32: checksum };
  } catch (cause) {
    await upload?.abort();
    throw cause;
  }
}

function partSize(count: number): number {
  return partBytes * 2 ** Math.floor(count / partsOfOneSize);
}

async function putWhole(client: S3Client, place: Place, body: Buffer): Promise<void> {
  const { ETag } = await inTime((abortSignal) =>
    client.send(new PutObjectCommand({ ...place, ...checked(body) }), { abortSignal }),
  );
  // Without a word about the bytes, at least their number is asked for.
  if (!saysSame(ETag, body)) await checkSize(client, place, body.length);
}

interface PartsUpload {
  readonly count: number;
  add(body: Buffer): Promise<void>;
  complete(rest: Buffer, sizeBytes: number): Promise<void>;
  abort(): Promise<void>;
}

async function beginParts(client: S3Client, place: Place): Promise<PartsUpload> {
  const { UploadId } = await inTime((abortSignal) =>
    client.send(new CreateMultipartUploadCommand(place), { abortSignal }),
  );
  const upload = { ...place, UploadId };
  const parts: CompletedPart[] = [];

  async function add(body: Buffer): Promise<void> {
    const PartNumber = parts.length + 1;
    const { ETag } = await inTime((abortSignal) =>
      client.send(new UploadPartCommand({ ...upload, PartNumber, ...checked(body) }), { abortSignal }),
    );
    saysSame(ETag, body);
    parts.push({ PartNumber, ETag });
  }

  return {
    get count() {
      return parts.length;
    },
    add,
    async complete(rest, sizeBytes) {
      if (rest.length > 0) await add(rest);
      const MultipartUpload = { Parts: parts };
      await inTime((abortSignal) =>
        client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }), { abortSignal }),
      );
      await checkSize(client, place, sizeBytes);
    },
    async abort() {
      // What cannot be taken away now is found by its age at the next start.
      await inTime((abortSignal) =>
        client.send(new AbortMultipartUploadCommand(upload), { abortSignal }),
      ).catch(() => {});
    },
  };
}

/** A body with what the store is to check it by. */
function checked(body: Buffer) {
  const ContentMD5 = createHash('md5').update(body).digest('base64');
  return { Body: body, ContentLength: body.length, ContentMD5 };
}

/**
 * Whether the store says that it has these bytes: most give their MD5 as the ETag; one that encrypts them gives
 * something else. Throws when it says that it has others.
 */
function saysSame(etag: string | undefined, body: Buffer): boolean {
  const said = etag?.replaceAll('"', '').toLowerCase() ?? '';
  if (!/^[0-9a-f]{32}$/.test(said)) return false;
  if (said === createHash('md5').update(body).digest('hex')) return true;
  throw new StorageUnavailable('The S3 store has other bytes than it was sent');
}

async function checkSize(client: S3Client, place: Place, sizeBytes: number): Promise<void> {
  const { ContentLength } = await inTime((abortSignal) =>
    client.send(new HeadObjectCommand(place), { abortSignal }),
  );
  if (ContentLength === sizeBytes) return;
  throw new StorageUnavailable(`The S3 store has ${ContentLength} bytes where it was sent ${sizeBytes}`);
}
