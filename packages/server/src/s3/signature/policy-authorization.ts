import { S3Error } from '../errors.js';
import { algorithm, readCredential } from './authorization.js';
import type { Scope } from './signing-key.js';

const isBase64 = /^[\w+/\-=\s]*$/;

/** What a form says of who signed its policy: the signature is not checked yet. */
export interface PolicyAuthorization {
  readonly accessKeyId: string;
  /** Undefined: it is signed in the older way, by the secret itself. */
  readonly scope: Scope | undefined;
  readonly signature: string;
}

/**
 * Reads the fields of a signed form: those of SigV4, or those of the older way, with which boto3 signs forms unless it is
 * told otherwise. Throws `AccessDenied` for a form that is not signed at all, `InvalidArgument` if a field is missing, and
 * `InvalidPolicyDocument`.
 */
export function readPolicyAuthorization(fields: ReadonlyMap<string, string>): PolicyAuthorization {
  const required = (name: string, shown = name) => {
    const value = fields.get(name);
    if (value !== undefined) return value;
    throw new S3Error('InvalidArgument', `Bucket POST must contain a field named '${shown}'.`, {
      ArgumentName: shown,
      ArgumentValue: '',
    });
  };
  const isSigV4 = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-signature'].some((name) => fields.has(name));
  if (!isSigV4 && !fields.has('awsaccesskeyid') && !fields.has('policy')) throw new S3Error('AccessDenied');
  // A signature is over bytes, of which others would be left of wide characters.
  if (!isBase64.test(required('policy'))) {
    throw new S3Error('InvalidPolicyDocument', 'Invalid Policy: it must be base64.');
  }
  if (!isSigV4) {
    const accessKeyId = required('awsaccesskeyid', 'AWSAccessKeyId');
    return { accessKeyId, scope: undefined, signature: required('signature') };
  }
  if (required('x-amz-algorithm') !== algorithm) {
    throw new S3Error('InvalidArgument', `X-Amz-Algorithm only supports "${algorithm}"`);
  }
  const { accessKeyId, scope } = readCredential(required('x-amz-credential'), 'InvalidArgument');
  const date = required('x-amz-date');
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(scope.date)) {
    throw new S3Error('InvalidArgument', 'X-Amz-Date must be YYYYMMDDTHHMMSSZ, on the day of the credential');
  }
  return { accessKeyId, scope, signature: required('x-amz-signature') };
}
