import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { StorageUnavailable } from '../storage-errors.js';
import { isConfirmedBy, withMd5 } from './checksums.js';
import { cleanUpTimeoutMs, completeTimeoutMs, inTime, sendTimeoutMs } from './client.js';
import { isUploadMissing } from './errors.js';
import type { ObjectAddress } from './options.js';
import { atAnswers, watchDates } from './watch-dates.js';

/** The smallest part that S3 accepts, except for the last one. */
const minPartBytes = 5 * 1024 * 1024;
/** One part is sent while the next one is gathered. A file of the API has fewer than a thousand parts of this size. */
export const keptByUpload = 2 * minPartBytes;
/** After every thousand parts their size doubles, so that the 10,000 parts of S3 hold any file. */
const partsOfOneSize = 1000;

/** The size in bytes of the part that follows `count` parts. */
export function partSize(count: number): number {
  return minPartBytes * 2 ** Math.floor(count / partsOfOneSize);
}

export interface S3Clients {
  readonly client: S3Client;
  readonly patient: S3Client;
}

/** A multipart upload in progress. */
export type MultipartUpload = Awaited<ReturnType<typeof beginMultipartUpload>>;

/** `patient`: the client for what may take minutes. */
export async function beginMultipartUpload({ client, patient }: S3Clients, address: ObjectAddress) {
  const { UploadId } = await inTime(client).send(new CreateMultipartUploadCommand(address));
  if (!UploadId) throw new StorageUnavailable('The S3 store gave no id for a multipart upload');
  const upload = { ...address, UploadId };
  const parts: CompletedPart[] = [];
  let count = 0;
  let sending: Promise<void> = Promise.resolve();

  async function send(PartNumber: number, body: Buffer): Promise<void> {
    const part = withMd5(body);
    const { ETag } = await inTime(client, sendTimeoutMs(body.length)).send(
      new UploadPartCommand({ ...upload, PartNumber, ...part }),
    );
    isConfirmedBy(ETag, part);
    parts.push({ PartNumber, ETag });
  }

  return {
    /** How many parts were added. */
    get count(): number {
      return count;
    },
    /** Sends a part in the background. Resolves when the part before it is stored, and rejects if that one failed. */
    async add(body: Buffer): Promise<void> {
      await sending;
      count++;
      sending = send(count, body);
      // The next call gets its error; until then nobody waits for it.
      sending.catch(() => {});
    },
    /** Resolves when the last part is stored. */
    sent: () => sending,
    /** Makes an object of the parts. Whether it has become one must be looked for: an upload that is gone may be an object. */
    async complete(): Promise<void> {
      const completed = { ...upload, MultipartUpload: { Parts: parts } };
      try {
        await inTime(patient, completeTimeoutMs).send(new CompleteMultipartUploadCommand(completed));
      } catch (cause) {
        // The SDK asks again when the answer is lost, and by then the store has no such upload.
        if (!isUploadMissing(cause)) throw cause;
      }
    },
    /** Ends the upload without an object. */
    async abort(): Promise<void> {
      // A part that arrives after the abort would stay stored.
      await sending.catch(() => {});
      await inTime(client, cleanUpTimeoutMs).send(new AbortMultipartUploadCommand(upload));
    },
  };
}

/**
 * Aborts the multipart uploads that began at least `minAgeMs` ago, by the clock of the store. It keeps what a crash left of
 * them, and charges for it.
 */
export async function abortAbandonedUploads(
  client: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  minAgeMs: number,
): Promise<void> {
  const where = { Bucket: bucket, Prefix: prefix };
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const list = new ListMultipartUploadsCommand({ ...where, ...after });
    let nowMs = Number.NEGATIVE_INFINITY;
    const told = (dateMs: number) => {
      nowMs = dateMs;
    };
    list.middlewareStack.add(watchDates(told), atAnswers);
    const page = await inTime(client).send(list);
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || nowMs - Initiated.getTime() < minAgeMs) continue;
      await inTime(client).send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
    }
    if (!page.IsTruncated) return;
    after = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
