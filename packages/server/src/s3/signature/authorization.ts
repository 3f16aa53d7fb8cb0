import { S3Error } from '../errors.js';
import type { SignedParts } from './canonical-request.js';
import type { Scope } from './signing-key.js';

/** What a request says of who signed it, and how: its signature is not checked yet. */
export interface Authorization {
  readonly accessKeyId: string;
  readonly scope: Scope;
  /** The names of the signed fields in lower case, in order. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `20260131T235959Z` */
  readonly timestamp: string;
  readonly signedMs: number;
  /** Of a presigned URL: for how many seconds it is valid. */
  readonly expiresSeconds?: number;
}

export const algorithm = 'AWS4-HMAC-SHA256';
const maxExpiresSeconds = 7 * 24 * 3600;
const signatureDigits = 64;
const isHex64 = /^[0-9a-f]{64}$/;
const isTimestamp = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** How to have a client that can do both sign with SigV4. */
const instead =
  "Sign with AWS4-HMAC-SHA256: signature_version = 's3v4' in boto3, signature_v2 = False in s3cmd";
/** Version 1 of `aws` presigns with SigV2 even where it signs all else with SigV4, and `signurl` of s3cmd has no other. */
const insteadInLinks =
  "Sign with AWS4-HMAC-SHA256: `aws configure set default.s3.signature_version s3v4` for aws, signature_version = 's3v4' " +
  'in boto3; s3cmd signurl cannot';

/** Reads the header `Authorization`. Throws an `S3Error` for any other signature than SigV4. */
export function readAuthorizationHeader(header: string, { valuesOf }: SignedParts): Authorization {
  const at = header.length - signatureDigits;
  const head = header.slice(0, at);
  const isUsual = head.endsWith(', Signature=');
  const given = isUsual ? heads(head, () => readFields(header)) : readFields(header);
  const { credential, signedHeaders } = given;
  const signature = isUsual ? header.slice(at) : given.signature;
  const date = valuesOf('x-amz-date')[0] || valuesOf('date')[0];
  if (date === undefined) {
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  }
  const timestamp = isTimestamp.test(date) ? date : timestampOf(Date.parse(date));
  return authorizationOf({ credential, signedHeaders, signature, timestamp }, 'AuthorizationHeaderMalformed');
}

/** The three fields of the header `Authorization`. */
function readFields(header: string): Omit<AuthorizationTexts, 'timestamp'> {
  if (/^AWS /.test(header)) {
    throw new S3Error('InvalidRequest', `The authorization mechanism SigV2 is not supported. ${instead}`);
  }
  const [, kind, fields = ''] = /^(\S+)\s+(.*)$/.exec(header) ?? [];
  if (kind !== algorithm) {
    throw new S3Error('InvalidRequest', `The authorization mechanism is not supported. ${instead}`);
  }
  const found = new Map<string, string>();
  for (const field of fields.split(',')) {
    const at = field.indexOf('=');
    const name = field.slice(0, at).trim();
    if (at === -1 || found.has(name)) throw new S3Error('AuthorizationHeaderMalformed');
    found.set(name, field.slice(at + 1).trim());
  }
  const credential = found.get('Credential');
  const signedHeaders = found.get('SignedHeaders');
  const signature = found.get('Signature');
  if (found.size !== 3 || credential === undefined || signedHeaders === undefined || signature === undefined)
    throw new S3Error('AuthorizationHeaderMalformed');
  return { credential, signedHeaders, signature };
}

/** Reads the parameters of a presigned URL. Throws an `S3Error` for any other signature than SigV4. */
export function readPresignedQuery(
  query: readonly (readonly [name: string, value: string])[],
): Authorization {
  const code = 'AuthorizationQueryParametersError';
  const given = (name: string) => {
    const values = query.filter(([parameter]) => parameter === name);
    if (values.length === 1) return values[0]?.[1] as string;
    throw new S3Error(code, `The query parameter ${name} must be given once`);
  };
  if (!query.some(([name]) => name === 'X-Amz-Algorithm')) {
    throw new S3Error(
      'InvalidRequest',
      `Links that are signed with SigV2 are not supported. ${insteadInLinks}`,
    );
  }
  if (given('X-Amz-Algorithm') !== algorithm) {
    throw new S3Error(code, `X-Amz-Algorithm only supports "${algorithm}"`);
  }
  const expires = given('X-Amz-Expires');
  const expiresSeconds = /^-?\d{1,9}$/.test(expires) ? Number(expires) : Number.NaN;
  if (expiresSeconds <= 0)
    throw new S3Error('AccessDenied', 'Request has expired', { 'X-Amz-Expires': expires });
  if (!(expiresSeconds >= 1 && expiresSeconds <= maxExpiresSeconds)) {
    throw new S3Error(code, `X-Amz-Expires must be a number of seconds from 1 to ${maxExpiresSeconds}`);
  }
  const authorization = authorizationOf(
    {
      credential: given('X-Amz-Credential'),
      signedHeaders: given('X-Amz-SignedHeaders'),
      signature: given('X-Amz-Signature'),
      timestamp: given('X-Amz-Date'),
    },
    code,
  );
  return { ...authorization, expiresSeconds };
}

interface AuthorizationTexts {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  readonly timestamp: string;
}

type MalformedCode = 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError';

function authorizationOf(
  { credential, signedHeaders, signature, timestamp }: AuthorizationTexts,
  code: MalformedCode,
): Authorization {
  const { accessKeyId, scope } = credentials(credential, (text) => readCredential(text, code));
  if (!isHex64.test(signature)) throw new S3Error(code, 'The signature must be 64 hexadecimal digits');
  const names = headerLists(signedHeaders, (text) => readNames(text, code));
  const signedMs = times(timestamp, msOf);
  if (signedMs === undefined) throw new S3Error(code, 'The date must be YYYYMMDDTHHMMSSZ');
  if (timestamp.slice(0, 8) !== scope.date)
    throw new S3Error(code, 'Invalid credential date: it differs from the date of the request');
  return { accessKeyId, scope, signedHeaders: names, signature, timestamp, signedMs };
}

/**
 * A client signs a day's requests with the same credential and mostly the same fields, and those of one second have the
 * same time. So the results for the last texts are kept, if the texts could be read. The keys of `heads` are headers
 * `Authorization` up to the digits of the signature, which differ in each request and are checked apart.
 */
const heads = createRecentResults<Omit<AuthorizationTexts, 'timestamp'>>();
const credentials = createRecentResults<ReturnType<typeof readCredential>>();
const headerLists = createRecentResults<readonly string[]>();
const times = createRecentResults<number | undefined>();

function readNames(signedHeaders: string, code: MalformedCode): readonly string[] {
  const names = signedHeaders.split(';');
  if (names.some((name, n) => name === '' || name !== name.toLowerCase() || name <= (names[n - 1] ?? '')))
    throw new S3Error(code, 'SignedHeaders must be names in lower case, in order');
  return names;
}

/** Reads `{access key id}/{date}/{region}/s3/aws4_request`. Any region is accepted. */
export function readCredential(
  credential: string,
  code: MalformedCode | 'InvalidArgument',
): { readonly accessKeyId: string; readonly scope: Scope } {
  const [accessKeyId, date, region, service, end, ...more] = credential.split('/');
  if (!accessKeyId || date === undefined || region === undefined || more.length > 0) {
    throw new S3Error(code, 'The credential must be <access-key-id>/<date>/<region>/s3/aws4_request');
  }
  if (!/^\d{8}$/.test(date)) throw new S3Error(code, 'The date of the credential must be YYYYMMDD');
  if (service !== 's3' || end !== 'aws4_request') {
    throw new S3Error(code, 'The credential is for another service: it must end in s3/aws4_request');
  }
  return { accessKeyId, scope: { date, region, text: `${date}/${region}/s3/aws4_request` } };
}

function timestampOf(ms: number): string {
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

function msOf(timestamp: string): number | undefined {
  const [, year, month, day, hour, minute, second] = isTimestamp.exec(timestamp) ?? [];
  if (second === undefined) return undefined;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

const maxKept = 256;
/** Longer texts are unusual, and would take more memory. */
const maxCharacters = 512;

/** Keeps the results of `read` for the last texts. What throws, or is undefined, is not kept. */
function createRecentResults<Value>(): (text: string, read: (text: string) => Value) => Value {
  const kept = new Map<string, Value>();
  return (text, read) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (value === undefined || text.length > maxCharacters) return value;
    if (kept.size >= maxKept) kept.clear();
    kept.set(text, value);
    return value;
  };
}
