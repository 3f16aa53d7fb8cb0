import type { Finding } from '../../lib/finding.js';
import { clockFinding } from '../shared/clock-finding.js';
import { openS3Client } from './client.js';
import { openFailure } from './errors.js';
import { openBucket } from './open-bucket.js';
import type { S3Options } from './options.js';
import { atAnswers, watchDates } from './watch-dates.js';

/**
 * What the operator should know of a bucket that can be used: whether its store agrees on the time. Throws like
 * `openS3BlobStore`.
 */
export async function examineS3(options: S3Options): Promise<readonly Finding[]> {
  const client = openS3Client(options);
  let clock: Finding | undefined;
  const told = (dateMs: number) => {
    clock = clockFinding('S3 clock', Date.now(), dateMs);
  };
  client.middlewareStack.add(watchDates(told), atAnswers);
  try {
    await openBucket(client, options.bucket);
    return clock === undefined ? [] : [clock];
  } catch (cause) {
    throw openFailure(cause, options.bucket);
  } finally {
    client.destroy();
  }
}
