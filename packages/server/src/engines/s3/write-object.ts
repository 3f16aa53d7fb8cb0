import {
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { BlobInfo } from '../blob-store.js';
import { createBlobSums } from '../shared/blob-sums.js';
import { StorageUnavailable } from '../storage-errors.js';
import { isConfirmedBy, withMd5 } from './checksums.js';
import { cleanUpTimeoutMs, inTime, sendTimeoutMs } from './client.js';
import { beginMultipartUpload, type MultipartUpload, partSize, type S3Clients } from './multipart-upload.js';
import type { ObjectAddress } from './options.js';

/**
 * Streams the chunks into an object: in one call if they fit into one part, else as a multipart upload, where one part
 * is sent while the next one is collected. Each call carries the MD5 of its body, and the store's answer is compared
 * with the MD5 and the size. After a failure nothing stays in the store, as far as it can be reached.
 */
export async function writeObject(
  clients: S3Clients,
  address: ObjectAddress,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<BlobInfo> {
  const { client } = clients;
  const sums = createBlobSums();
  let upload: MultipartUpload | undefined;
  let collected: Buffer[] = [];
  let collectedBytes = 0;
  let mayExist = false;

  function takeCollected(): Buffer {
    const bytes =
      collected.length === 1 ? (collected[0] as Buffer) : Buffer.concat(collected, collectedBytes);
    collected = [];
    collectedBytes = 0;
    return bytes;
  }

  try {
    for await (const chunk of chunks) {
      sums.add(chunk);
      collected.push(chunk);
      collectedBytes += chunk.length;
      if (collectedBytes < partSize(upload?.count ?? 0)) continue;
      upload ??= await beginMultipartUpload(clients, address);
      await upload.add(takeCollected());
    }
    if (upload !== undefined && collectedBytes > 0) await upload.add(takeCollected());
    await upload?.sent();
    mayExist = true;
    if (upload === undefined) await putWhole(client, address, takeCollected());
    else {
      await upload.complete();
      await checkSize(client, address, sums.info().sizeBytes);
    }
    return sums.info();
  } catch (cause) {
    // The first failure is reported. Maintenance removes later what cannot be removed now.
    await upload?.abort().catch(() => {});
    if (mayExist) await remove(client, address).catch(() => {});
    throw cause;
  }
}

/** How stores say that there is an object already, or that somebody else is just writing one. */
const isThere: readonly (number | undefined)[] = [409, 412];
/** How stores say that they do not know the condition. */
const isUnknown: readonly (number | undefined)[] = [400, 501];

/**
 * Writes few bytes into an object unless there is one, and gives whether it did. A store that does not know this condition
 * ignores it, or refuses the call: then it is sent without it.
 */
export async function writeObjectUnlessThere(
  client: S3Client,
  address: ObjectAddress,
  body: Buffer,
): Promise<boolean> {
  try {
    await putWhole(client, address, body, { IfNoneMatch: '*' });
  } catch (cause) {
    const status = cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
    if (isThere.includes(status)) return false;
    if (!isUnknown.includes(status)) throw cause;
    await putWhole(client, address, body);
  }
  return true;
}

async function putWhole(
  client: S3Client,
  address: ObjectAddress,
  body: Buffer,
  condition: { readonly IfNoneMatch?: string } = {},
): Promise<void> {
  const sent = withMd5(body);
  const { ETag } = await inTime(client, sendTimeoutMs(body.length)).send(
    new PutObjectCommand({ ...address, ...sent, ...condition }),
  );
  // If the store does not confirm the bytes, at least their number is compared.
  if (!isConfirmedBy(ETag, sent)) await checkSize(client, address, body.length);
}

async function checkSize(client: S3Client, address: ObjectAddress, sizeBytes: number): Promise<void> {
  const { ContentLength } = await inTime(client).send(new HeadObjectCommand(address));
  if (ContentLength === sizeBytes) return;
  throw new StorageUnavailable(`The S3 store has ${ContentLength} bytes where it was sent ${sizeBytes}`);
}

async function remove(client: S3Client, address: ObjectAddress): Promise<void> {
  await inTime(client, cleanUpTimeoutMs).send(new DeleteObjectCommand(address));
}
