import { S3ServiceException } from '@aws-sdk/client-s3';
import { OperatorError } from '../../operator-error.js';
import { BlobMissing, StorageUnavailable } from '../storage-errors.js';

/** What the operator must correct before a server can start, by error code or status. */
const openProblems: Readonly<Record<string, string>> = {
  301: 'it is in another region: set AWS_REGION to that region',
  403: 'access is denied to these credentials',
  404: 'there is no such bucket',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret key is wrong',
  RequestTimeTooSkewed: 'the clock of this machine is too far from that of the store',
  CredentialsProviderError: 'no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
};

/**
 * Whether the store says that it has no such object. A 404 that gives no code is the store's only with its request id: a
 * proxy whose store is away answers 404, too, and what is read then as missing would be left out of a backup or a copy.
 */
export function isMissing(cause: unknown): boolean {
  if (!(cause instanceof S3ServiceException)) return false;
  return cause.name === 'NoSuchKey' || (cause.name === 'NotFound' && cause.$metadata.requestId !== undefined);
}

export function isUploadMissing(cause: unknown): boolean {
  return cause instanceof S3ServiceException && cause.name === 'NoSuchUpload';
}

/**
 * The error that the engine's caller gets: `StorageUnavailable` for a failure of the store, the network or the
 * credentials, and the cause itself if it is a defect.
 */
export function bytesFailure(cause: unknown): unknown {
  const isKnown =
    cause instanceof StorageUnavailable || cause instanceof BlobMissing || cause instanceof OperatorError;
  if (isKnown || !(cause instanceof Error) || cause instanceof TypeError || cause instanceof RangeError)
    return cause;
  return new StorageUnavailable(`The S3 store is unavailable: ${reasonOf(cause)}`, { cause });
}

/** The same when the store is opened: `OperatorError` for what the operator can correct. */
export function openFailure(cause: unknown, bucket: string): unknown {
  const status = cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
  const problem =
    cause instanceof Error ? (openProblems[cause.name] ?? openProblems[String(status)]) : undefined;
  if (problem === undefined) return bytesFailure(cause);
  return new OperatorError(`The bucket ${bucket} cannot be used: ${problem}`, { cause });
}

/** What an answer without a body leaves as the message of the SDK. */
const noMessage = /^(Unknown(Error)?)?$/;

/**
 * What the operator can look up: the code and the status of the store's answer with its message, which alone may say nothing.
 * The error of a host name with several addresses has no message.
 */
function reasonOf(cause: Error): string {
  if (!(cause instanceof S3ServiceException))
    return cause.message || (cause as { code?: string }).code || cause.name;
  const { httpStatusCode: status } = cause.$metadata;
  const told = [cause.name, cause.message].filter((text) => !noMessage.test(text) && text !== String(status));
  return [`status ${status}`, ...new Set(told)].join(', ');
}
