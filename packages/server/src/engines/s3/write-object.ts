import { crc32 } from 'node:zlib';
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { BlobInfo } from '../blob-store.js';
import { StorageUnavailable } from '../storage-errors.js';
import { checked, saysSame } from './checksums.js';
import { cleanUpTimeoutMs, inTime, timeToSend } from './client.js';
import { beginParts, type PartsUpload, partSize } from './multipart-upload.js';
import type { ObjectAddress } from './options.js';

/**
 * Streams the chunks into an object: in one call when they are few, else in parts, one of which goes up while the next
 * one is gathered. The store is sent the MD5 of all it is sent, and what it says it has is compared with that and with
 * the size. Whatever fails, nothing is left behind, as far as the store can be reached.
 */
export async function writeObject(
  client: S3Client,
  address: ObjectAddress,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<BlobInfo> {
  let sizeBytes = 0;
  let checksum = 0;
  let upload: PartsUpload | undefined;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let mayBeThere = false;

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
      upload ??= await beginParts(client, address);
      await upload.add(taken());
    }
    if (upload !== undefined && waitingBytes > 0) await upload.add(taken());
    await upload?.sent();
    mayBeThere = true;
    if (upload === undefined) await putWhole(client, address, taken());
    else {
      await upload.complete();
      await checkSize(client, address, sizeBytes);
    }
    return { sizeBytes, crc32: checksum };
  } catch (cause) {
    // The first failure is the one to tell. What cannot be taken away now is found by its age.
    await upload?.abort().catch(() => {});
    if (mayBeThere) await remove(client, address).catch(() => {});
    throw cause;
  }
}

async function putWhole(client: S3Client, address: ObjectAddress, body: Buffer): Promise<void> {
  const sent = checked(body);
  const { ETag } = await inTime(
    (abortSignal) => client.send(new PutObjectCommand({ ...address, ...sent }), { abortSignal }),
    timeToSend(body.length),
  );
  // Without a word about the bytes, at least their number is asked for.
  if (!saysSame(ETag, sent)) await checkSize(client, address, body.length);
}

async function checkSize(client: S3Client, address: ObjectAddress, sizeBytes: number): Promise<void> {
  const { ContentLength } = await inTime((abortSignal) =>
    client.send(new HeadObjectCommand(address), { abortSignal }),
  );
  if (ContentLength === sizeBytes) return;
  throw new StorageUnavailable(`The S3 store has ${ContentLength} bytes where it was sent ${sizeBytes}`);
}

async function remove(client: S3Client, address: ObjectAddress): Promise<void> {
  await inTime(
    (abortSignal) => client.send(new DeleteObjectCommand(address), { abortSignal }),
    cleanUpTimeoutMs,
  );
}
