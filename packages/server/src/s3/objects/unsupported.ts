import { S3Error } from '../errors.js';
import type { S3Request } from '../request.js';

// What a request may not ask for: nothing is ignored that a client could rely on.

const cannedAcls: ReadonlySet<string> = new Set(['private', 'bucket-owner-full-control']);
const otherAcls: ReadonlySet<string> = new Set([
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'log-delivery-write',
]);
const neverSupported = [
  /^x-amz-grant-/,
  /^x-amz-server-side-encryption/,
  /^x-amz-copy-source-server-side-encryption/,
  /^x-amz-object-lock-/,
  /^x-amz-bucket-object-lock-enabled$/,
  /^x-amz-website-redirect-location$/,
  /^x-amz-write-offset-bytes$/,
  /^x-amz-mfa$/,
  /^x-amz-if-match-initiated-time$/,
  /^x-amz-rename-source/,
  // A checksum that nobody compares would promise what is not so.
  /^x-amz-checksum-(?!algorithm$|mode$|type$|crc32$|crc32c$|crc64nvme$|sha1$|sha256$)/,
];

/** The only value that a field may have: it says how it is anyway. */
const only: Readonly<Record<string, string>> = {
  'x-amz-bucket-namespace': 'global',
  'x-amz-object-ownership': 'BucketOwnerEnforced',
  'x-amz-storage-class': 'STANDARD',
};

/** What nearly every request has. */
const usual: ReadonlySet<string> = new Set(['x-amz-content-sha256', 'x-amz-date', 'x-amz-user-agent']);

/** Throws `NotImplemented` for a field that asks for what is not here. `fields`: the names in lower case. */
export function refuseUnsupported(request: S3Request, fields: readonly string[]): void {
  for (const name of fields) {
    if (!name.startsWith('x-amz-') || usual.has(name)) continue;
    const value = request.field(name) ?? '';
    const isRefused = neverSupported.some((pattern) => pattern.test(name)) && value.toLowerCase() !== 'false';
    if (isRefused) throw notHere(name);
    if (name === 'x-amz-tagging' && value !== '') throw notHere(name);
    if (Object.hasOwn(only, name) && value !== only[name]) throw notHere(name);
    if (name === 'x-amz-acl' && !cannedAcls.has(value)) {
      if (otherAcls.has(value)) throw notHere(name);
      throw new S3Error('InvalidArgument', undefined, { ArgumentName: name, ArgumentValue: value });
    }
  }
}

function notHere(name: string): S3Error {
  return new S3Error('NotImplemented', undefined, { Header: name });
}

/** Throws `AccessDenied` if the request expects another owner of the bucket, or of the one that it copies from. */
export function requireOwner({ field }: S3Request, project: string): void {
  for (const name of ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner']) {
    const expected = field(name);
    if (expected !== undefined && expected !== project) throw new S3Error('AccessDenied');
  }
}
