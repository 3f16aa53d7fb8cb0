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
import { checked, saysSame } from './checksums.js';
import { cleanUpTimeoutMs, inTime, timeToSend } from './client.js';
import type { ObjectAddress } from './options.js';

/** The least that S3 takes for a part that is not the last one: two of them are in memory of each write. */
const partBytes = 5 * 1024 * 1024;
/** Every thousand parts they are twice as large, so that ten thousand of them hold more than any disk. */
const partsOfOneSize = 1000;

/** How many bytes the part after so many has. */
export function partSize(count: number): number {
  return partBytes * 2 ** Math.floor(count / partsOfOneSize);
}

export interface PartsUpload {
  /** The parts there are, the one that is going up included. */
  readonly count: number;
  /** Sends a part. Resolves when the one before it is there, and rejects when that failed. */
  add(body: Buffer): Promise<void>;
  /** Waits for the last part. */
  sent(): Promise<void>;
  /** Makes an object of the parts. */
  complete(): Promise<void>;
  abort(): Promise<void>;
}

export async function beginParts(client: S3Client, address: ObjectAddress): Promise<PartsUpload> {
  const { UploadId } = await inTime((abortSignal) =>
    client.send(new CreateMultipartUploadCommand(address), { abortSignal }),
  );
  if (!UploadId) throw new StorageUnavailable('The S3 store gave no id for an upload in parts');
  const upload = { ...address, UploadId };
  const parts: CompletedPart[] = [];
  let count = 0;
  let sending: Promise<void> = Promise.resolve();

  async function send(PartNumber: number, body: Buffer): Promise<void> {
    const part = checked(body);
    const { ETag } = await inTime(
      (abortSignal) =>
        client.send(new UploadPartCommand({ ...upload, PartNumber, ...part }), { abortSignal }),
      timeToSend(body.length),
    );
    saysSame(ETag, part);
    parts.push({ PartNumber, ETag });
  }

  return {
    get count() {
      return count;
    },
    async add(body) {
      await sending;
      count++;
      sending = send(count, body);
      // Whoever waits for it next is told; until then it is nobody's.
      sending.catch(() => {});
    },
    sent: () => sending,
    async complete() {
      const MultipartUpload = { Parts: parts };
      await inTime((abortSignal) =>
        client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }), { abortSignal }),
      );
    },
    async abort() {
      // A part that comes after the end of its upload would be kept.
      await sending.catch(() => {});
      await inTime(
        (abortSignal) => client.send(new AbortMultipartUploadCommand(upload), { abortSignal }),
        cleanUpTimeoutMs,
      );
    },
  };
}

/**
 * Ends the uploads in parts that began before `beforeMs` (since 1970): what a crash left of them is kept, and paid
 * for, until somebody takes it away.
 */
export async function abortAbandoned(
  client: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  beforeMs: number,
): Promise<void> {
  const where = { Bucket: bucket, Prefix: prefix };
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const page = await inTime((abortSignal) =>
      client.send(new ListMultipartUploadsCommand({ ...where, ...after }), { abortSignal }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
      await inTime((abortSignal) =>
        client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }), { abortSignal }),
      );
    }
    if (!page.IsTruncated) return;
    after = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
