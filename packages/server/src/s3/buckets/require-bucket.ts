import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { keyProblem } from '../objects/key.js';

/** Throws `NoSuchBucket` unless there is such a drive. */
export async function requireBucket({ drives, project, bucket }: S3Call, name = bucket): Promise<void> {
  if ((await drives.sinceMs(project, name)) === undefined) throw noSuchBucket(name);
}

export function noSuchBucket(BucketName: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { BucketName });
}

/** What is said of a key that there is not: that its bucket is missing, too, or that no object can have it. */
export async function noSuchKey(call: S3Call, bucket = call.bucket, Key = call.key): Promise<S3Error> {
  if ((await call.drives.sinceMs(call.project, bucket)) === undefined) return noSuchBucket(bucket);
  const problem = keyProblem(Key);
  if (problem !== undefined)
    return new S3Error(problem.code === 'too_long' ? 'KeyTooLongError' : 'InvalidURI');
  return new S3Error('NoSuchKey', undefined, { Key });
}
