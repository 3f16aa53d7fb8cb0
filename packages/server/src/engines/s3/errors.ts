import { S3ServiceException } from '@aws-sdk/client-s3';
import { OperatorError } from '../../operator-error.js';
import { BlobMissing, StorageUnavailable } from '../storage-errors.js';

/** What the operator has to mend before a server can begin. A HEAD has no body to say it: then the status does. */
const reasons: Readonly<Record<string, string>> = {
  301: 'it is in another region: name that one in AWS_REGION',
  403: 'access is denied to these credentials',
  404: 'there is no such bucket',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret key is wrong',
  CredentialsProviderError: 'no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
};

export function isMissing(cause: unknown): boolean {
  return cause instanceof S3ServiceException && (cause.name === 'NoSuchKey' || cause.name === 'NotFound');
}

/**
 * `StorageUnavailable` for whatever the store, the network or the credentials did, and the cause itself for what is
 * a fault of ours.
 */
export function bytesFailure(cause: unknown): unknown {
  const isOurs =
    cause instanceof StorageUnavailable || cause instanceof BlobMissing || cause instanceof OperatorError;
  if (isOurs || !(cause instanceof Error) || cause instanceof TypeError || cause instanceof RangeError)
    return cause;
  return new StorageUnavailable(`The S3 store does not take it for now: ${reasonOf(cause)}`, { cause });
}

/** The same at the start, where the operator is there to read it. */
export function openFailure(cause: unknown, bucket: string): unknown {
  const status = cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
  const known = cause instanceof Error ? (reasons[cause.name] ?? reasons[String(status)]) : undefined;
  if (known === undefined) return bytesFailure(cause);
  return new OperatorError(`The bucket ${bucket} cannot be used: ${known}`, { cause });
}

/** A host with several addresses gives an error without a message. */
function reasonOf(cause: Error): string {
  return cause.message || (cause as { code?: string }).code || cause.name;
}
