import { OperatorError } from '../../operator-error.js';
import type { Variables } from '../engine.js';

/** Where the blobs are stored, and how to reach the store. */
export interface S3Options {
  readonly bucket: string;
  /** The beginning of every key: empty, or ends with `/`. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  /** `https://endpoint/bucket/key` instead of `https://bucket.endpoint/key`, which many stores do not know. */
  readonly forcePathStyle: boolean;
  /** Without them the SDK uses its other sources: profiles, roles of machines and containers. */
  readonly credentials?: S3Credentials | undefined;
}

/** The bucket and key of an object, under the SDK's names. */
export interface ObjectAddress {
  readonly Bucket: string;
  readonly Key: string;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const defaultRegion = 'us-east-1';

/**
 * The options from `s3://bucket/prefix` and the variables `BASEDRIVE_S3_ENDPOINT`, `BASEDRIVE_S3_REGION` and
 * `BASEDRIVE_S3_PATH_STYLE`, else those of AWS. The path style is the default if an endpoint is given. Throws
 * `OperatorError` if the prefix is not percent-encoded.
 */
export function s3Options(url: string, variables: Variables): S3Options {
  const { hostname, pathname } = new URL(url);
  const given = (name: string) => variables[name] || undefined;
  const endpoint =
    given('BASEDRIVE_S3_ENDPOINT') ?? given('AWS_ENDPOINT_URL_S3') ?? given('AWS_ENDPOINT_URL');
  const style = given('BASEDRIVE_S3_PATH_STYLE');
  const prefix = decoded(pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucket: hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region:
      given('BASEDRIVE_S3_REGION') ?? given('AWS_REGION') ?? given('AWS_DEFAULT_REGION') ?? defaultRegion,
    forcePathStyle: style === undefined ? endpoint !== undefined : /^(1|true|yes|on)$/i.test(style),
    credentials: credentialsOf(given),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    throw new OperatorError(
      `The prefix ${path} has a % that is not followed by two digits: write it as %25`,
      {
        cause,
      },
    );
  }
}

/** The SDK would read the variables of the process, but a command can give others to a server that copies for it. */
function credentialsOf(given: (name: string) => string | undefined): S3Credentials | undefined {
  const accessKeyId = given('AWS_ACCESS_KEY_ID');
  const secretAccessKey = given('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: given('AWS_SESSION_TOKEN') };
}
