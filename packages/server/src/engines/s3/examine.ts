import {
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  type LifecycleRule,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type Finding, failed, warning } from '../../lib/finding.js';
import { clockFinding } from '../shared/clock-finding.js';
import { inTime, openS3Client } from './client.js';
import { openFailure } from './errors.js';
import { openBucket } from './open-bucket.js';
import type { S3Options } from './options.js';
import { atAnswers, watchDates } from './watch-dates.js';

/**
 * What the operator should know of a bucket that can be used: whether its store agrees on the time, whether one of its
 * rules deletes what is stored, and whether it keeps what is deleted. Throws like `openS3BlobStore`.
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
    const kept = await keptFindings(client, options);
    return clock === undefined ? kept : [clock, ...kept];
  } catch (cause) {
    throw openFailure(cause, options.bucket);
  } finally {
    client.destroy();
  }
}

/** Not every store knows rules and versions, and not everybody may read them: nothing is said of what is not told. */
async function keptFindings(
  client: S3Client,
  { bucket: Bucket, prefix }: S3Options,
): Promise<readonly Finding[]> {
  const [lifecycle, versioning] = await Promise.all([
    inTime(client).send(new GetBucketLifecycleConfigurationCommand({ Bucket })).catch(ignore),
    inTime(client).send(new GetBucketVersioningCommand({ Bucket })).catch(ignore),
  ]);
  const rules = (lifecycle?.Rules ?? []).filter((rule) => concerns(rule, prefix));
  const findings: Finding[] = [];
  const expiring = rules.find(({ Expiration: { Days, Date: date } = {} }) => Days || date);
  if (expiring !== undefined) {
    findings.push(
      failed(
        'S3 lifecycle',
        `the rule ${expiring.ID ?? ''} of the bucket deletes objects by their age, and with them the bytes of files`,
        'Remove the rule, or limit it to another prefix.',
      ),
    );
  }
  const endsVersions = rules.some(({ NoncurrentVersionExpiration }) => NoncurrentVersionExpiration);
  if (versioning?.Status === 'Enabled' && !endsVersions) {
    findings.push(
      warning(
        'S3 versions',
        'the bucket keeps versions, and no rule ends them: the bytes of deleted files stay for good',
        'Give the bucket a rule that ends noncurrent versions (NoncurrentVersionExpiration).',
      ),
    );
  }
  return findings;
}

/** Whether a rule is in force for objects below the prefix. They have no tags. */
function concerns({ Status, Filter, Prefix }: LifecycleRule, prefix: string): boolean {
  const { And, Tag, Prefix: filtered } = Filter ?? {};
  if (Status !== 'Enabled' || Tag !== undefined || (And?.Tags ?? []).length > 0) return false;
  const of = filtered ?? And?.Prefix ?? Prefix ?? '';
  return of.startsWith(prefix) || prefix.startsWith(of);
}

function ignore(): undefined {
  return undefined;
}
