import { loadOptional } from '../../optional-packages.js';
import type { BlobEngine } from '../engine.js';
import { networkAdvice } from '../shared/network-advice.js';

const user = 'An S3 store';

/** An S3 store: the blob store that several servers share. */
export const s3Engine: BlobEngine = {
  schemes: ['s3:'],
  isRemote: true,
  urlForm: 's3://bucket/prefix',
  variables: ['AWS_*', 'BASEDRIVE_S3_ENDPOINT', 'BASEDRIVE_S3_REGION', 'BASEDRIVE_S3_PATH_STYLE'],
  urlProblem({ hostname, username, password }) {
    if (username !== '' || password !== '')
      return 'credentials come from the environment, not from the address';
    return hostname === '' ? 'must name a bucket, s3://bucket/prefix' : undefined;
  },
  async open({ url, variables }) {
    // The SDK would warn that later versions need a later Node. This version is pinned, so the operator cannot act on it.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { openS3BlobStore } = await loadOptional(user, () => import('./store.js'));
    const { s3Options } = await import('./options.js');
    return await openS3BlobStore(s3Options(url.href, variables));
  },
  async examine({ url, variables }) {
    const { examineS3 } = await loadOptional(user, () => import('./examine.js'));
    const { s3Options } = await import('./options.js');
    return await examineS3(s3Options(url.href, variables));
  },
  advice: {
    ...networkAdvice,
    InvalidAccessKeyId: 'Correct AWS_ACCESS_KEY_ID.',
    SignatureDoesNotMatch: 'Correct AWS_SECRET_ACCESS_KEY.',
    RequestTimeTooSkewed: 'Set the clock: the store refuses requests that are dated far from its own.',
    CredentialsProviderError: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    AccessDenied: 'Let these credentials read, write, list and delete in the bucket.',
    NotFound: 'Create the bucket, or correct its name in --blobs.',
    NoSuchBucket: 'Create the bucket, or correct its name in --blobs.',
  },
};
