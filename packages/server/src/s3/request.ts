import type { Exchange } from '../http/requests/exchange.js';
import { S3Error } from './errors.js';
import { decodePath, readQuery } from './signature/encoding.js';

/** A request as S3 reads it. */
export interface S3Request {
  readonly method: string;
  /** The path, decoded once. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Empty: the request is about all buckets. */
  readonly bucket: string;
  /** Whether the host names the bucket. */
  readonly isBucketInHost: boolean;
  /** Empty: it is about the bucket. */
  readonly key: string;
  /** Whether it is signed in its query string. */
  readonly isPresigned: boolean;
  /** The names of the fields in its head that begin with `x-amz-`, in lower case. */
  readonly amzFields: readonly string[];
  /** The values of each field with this name in lower case, one character a byte. */
  valuesOf(name: string): readonly string[];
  /** The value of a parameter of the query string; undefined if it is absent. */
  param(name: string): string | undefined;
  /**
   * The value of a field by its name in lower case, one character a byte. A presigned URL may have fields that begin with
   * `x-amz-` in its query string.
   */
  field(name: string): string | undefined;
}

/** The SDK for JavaScript signs the checksum of an empty body into the URLs of puts. AWS ignores it, too. */
const ignoredInQuery = /^x-amz-(?:checksum-|sdk-checksum-|trailer$)/;

const noParams: ReadonlyMap<string, string> = new Map();

/** Reads a request. Throws `InvalidURI`. `domain`: below it, the first label of the host is a bucket. */
export function readRequest(exchange: Exchange, domain: string | undefined): S3Request {
  const { method, target, headers } = exchange;
  const at = target.indexOf('?');
  const query = at === -1 ? [] : readQuery(target.slice(at + 1));
  const path = decodePath(at === -1 ? target : target.slice(0, at));
  const params = query.length === 0 ? noParams : new Map(query.toReversed());
  const isPresigned = params.has('X-Amz-Algorithm') || params.has('AWSAccessKeyId');
  const valuesOf = (name: string) => exchange.valuesOf(name);
  let amzParams: ReadonlyMap<string, string> | undefined;
  const { bucket, key, isBucketInHost } = targetOf(path, headers.host, domain);
  return {
    method,
    path,
    query,
    bucket,
    isBucketInHost,
    key,
    isPresigned,
    amzFields: Object.keys(headers).filter(isAmzField),
    valuesOf,
    param: (name) => params.get(name),
    field(name) {
      if (headers[name] !== undefined) {
        const values = valuesOf(name);
        return values.length === 1 ? values[0] : values.join(',');
      }
      if (!isPresigned || !name.startsWith('x-amz-') || ignoredInQuery.test(name)) return undefined;
      // A URL may have thousands of them, each of which is asked for.
      amzParams ??= new Map(query.toReversed().map(([given, value]) => [given.toLowerCase(), value]));
      const value = amzParams.get(name);
      return value === undefined ? undefined : Buffer.from(value).toString('latin1');
    },
  };
}

function targetOf(path: string, host: string | undefined, domain: string | undefined) {
  const bucket = domain === undefined ? undefined : bucketOfHost(host ?? '', domain);
  if (bucket !== undefined) return { bucket, isBucketInHost: true, key: path.slice(1) };
  const slash = path.indexOf('/', 1);
  return slash === -1
    ? { bucket: path.slice(1), isBucketInHost: false, key: '' }
    : { bucket: path.slice(1, slash), isBucketInHost: false, key: path.slice(slash + 1) };
}

/** `photos` of `photos.s3.example:8080`; undefined for the domain itself, and for another host. */
function bucketOfHost(host: string, domain: string): string | undefined {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : undefined;
}

/** A parameter that is a whole number up to `most`. Throws `InvalidArgument`. */
export function numberParam(request: S3Request, name: string, most: number, otherwise: number): number {
  const text = request.param(name);
  if (text === undefined || text === '') return otherwise;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 2 ** 31 - 1) return Math.min(value, most);
  throw new S3Error('InvalidArgument', `Argument ${name} must be an integer between 0 and 2147483647`, {
    ArgumentName: name,
    ArgumentValue: text,
  });
}

function isAmzField(name: string): boolean {
  return name.startsWith('x-amz-');
}

/** The names of the fields that begin with `x-amz-`, in lower case, with those that a presigned URL has in its query string. */
export function amzFieldsOf({ amzFields, isPresigned, query }: S3Request): readonly string[] {
  if (!isPresigned) return amzFields;
  return [...amzFields, ...query.map(([name]) => name.toLowerCase()).filter(isAmzField)];
}
