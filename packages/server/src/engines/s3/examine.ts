import type { S3Client } from '@aws-sdk/client-s3';
import type { Finding } from '../../lib/finding.js';
import { clockFinding } from '../shared/clock-finding.js';
import { openS3Client } from './client.js';
import { openFailure } from './errors.js';
import { openBucket } from './open-bucket.js';
import type { S3Options } from './options.js';

/**
 * What the operator should know of a bucket that can be used: whether its store agrees on the time. Throws like
 * `openS3BlobStore`.
 */
export async function examineS3(options: S3Options): Promise<readonly Finding[]> {
  const client = openS3Client(options);
  const dates = watchDates(client);
  try {
    await openBucket(client, options.bucket);
    return dates.map(({ ownMs, otherMs }) => clockFinding('S3 clock', ownMs, otherMs)).slice(-1);
  } catch (cause) {
    throw openFailure(cause, options.bucket);
  } finally {
    client.destroy();
  }
}

/** The `Date` of each answer, with the time here. */
function watchDates(client: S3Client): readonly { readonly ownMs: number; readonly otherMs: number }[] {
  const dates: { ownMs: number; otherMs: number }[] = [];
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
      const otherMs = Date.parse(headers.date ?? '');
      if (!Number.isNaN(otherMs)) dates.push({ ownMs: Date.now(), otherMs });
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'watchDates' },
  );
  return dates;
}
