import {
  HeadBucketCommand,
  ListObjectsV2Command,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { inTime } from './client.js';

/** The statuses with which a store refuses who asks or how. */
const refusals: readonly (number | undefined)[] = [400, 403];

/**
 * Resolves when the bucket can be used. Throws the error of the SDK. The answer to a HEAD has no body, so a refusal does
 * not say why: then a list is asked for, whose refusal does.
 */
export async function openBucket(client: S3Client, bucket: string): Promise<void> {
  try {
    await inTime(client).send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (cause) {
    const status = cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
    if (!refusals.includes(status)) throw cause;
    await inTime(client).send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }));
    // A list is allowed, and a HEAD is not.
    throw cause;
  }
}
