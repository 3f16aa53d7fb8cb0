import type { Answer } from '../http/requests/call.js';
import { emptyAnswer, xmlAnswer } from './answers.js';
import { ownerOf } from './buckets/buckets.js';
import { noSuchKey, requireBucket } from './buckets/require-bucket.js';
import type { S3Call, S3Handler } from './call.js';
import { type S3Code, S3Error } from './errors.js';
import { refuseUnsupported } from './objects/unsupported.js';
import { amzFieldsOf } from './request.js';

// What this service does not have: its state is answered as AWS answers for a bucket that has none.

const absent = (code: S3Code): S3Handler => {
  return async (call) => {
    await requireThere(call);
    throw new S3Error(code, undefined, { BucketName: call.bucket });
  };
};

const empty = (root: string): S3Handler => {
  return async (call) => {
    await requireThere(call);
    return xmlAnswer(call.exchange, root, {});
  };
};

async function requireThere(call: S3Call): Promise<void> {
  if (call.key === '') return await requireBucket(call);
  if ((await call.drives.stat(call.project, call.bucket, call.key)) === undefined)
    throw await noSuchKey(call);
}

/** The owner may do everything, and nobody else anything. */
async function getAcl(call: S3Call): Promise<Answer> {
  await requireThere(call);
  const { ID, DisplayName } = ownerOf(call.project);
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"';
  const answer = xmlAnswer(call.exchange, 'AccessControlPolicy', {
    Owner: { ID, DisplayName },
    AccessControlList: { Grant: { Grantee: { ID, DisplayName }, Permission: 'FULL_CONTROL' } },
  });
  return { ...answer, body: (answer.body as string).replace('<Grantee>', `<Grantee ${xsi}>`) };
}

/** What there is already is accepted: the canned ACL `private`. */
async function putAcl(call: S3Call): Promise<Answer> {
  if (call.request.field('x-amz-acl') === undefined) throw new S3Error('NotImplemented');
  refuseUnsupported(call.request, amzFieldsOf(call.request));
  await requireThere(call);
  return emptyAnswer(call.exchange, 200);
}

/** By the parameter of the query string, for GET. */
export const statesOfBuckets: Readonly<Record<string, S3Handler>> = {
  accelerate: empty('AccelerateConfiguration'),
  acl: getAcl,
  cors: absent('NoSuchCORSConfiguration'),
  encryption: absent('ServerSideEncryptionConfigurationNotFoundError'),
  lifecycle: absent('NoSuchLifecycleConfiguration'),
  logging: empty('BucketLoggingStatus'),
  notification: empty('NotificationConfiguration'),
  'object-lock': absent('ObjectLockConfigurationNotFoundError'),
  ownershipControls: absent('OwnershipControlsNotFoundError'),
  policy: absent('NoSuchBucketPolicy'),
  policyStatus: absent('NoSuchBucketPolicy'),
  publicAccessBlock: absent('NoSuchPublicAccessBlockConfiguration'),
  replication: absent('ReplicationConfigurationNotFoundError'),
  requestPayment: async (call) => {
    await requireThere(call);
    return xmlAnswer(call.exchange, 'RequestPaymentConfiguration', { Payer: 'BucketOwner' });
  },
  tagging: absent('NoSuchTagSet'),
  versioning: empty('VersioningConfiguration'),
  website: absent('NoSuchWebsiteConfiguration'),
};

export const statesOfObjects: Readonly<Record<string, S3Handler>> = {
  acl: getAcl,
  'legal-hold': absent('NoSuchObjectLockConfiguration'),
  retention: absent('NoSuchObjectLockConfiguration'),
  tagging: async (call) => {
    await requireThere(call);
    return xmlAnswer(call.exchange, 'Tagging', { TagSet: {} });
  },
};

export { putAcl };

/** Parameters that stand for something of their own: with any of them, a request is never the plain operation. */
export const otherSubresources: ReadonlySet<string> = new Set([
  ...Object.keys(statesOfBuckets),
  ...Object.keys(statesOfObjects),
  'abac',
  'analytics',
  'annotation',
  'intelligent-tiering',
  'inventory',
  'metadataAnnotationTable',
  'metadataConfiguration',
  'metadataInventoryTable',
  'metadataJournalTable',
  'metadataTable',
  'metrics',
  'renameObject',
  'restore',
  'select',
  'session',
  'torrent',
]);
