import type { Variables } from './open.js';

/** Where the bytes lie, and how the store is spoken to. Credentials are found by the SDK, in its usual places. */
export interface S3Options {
  readonly bucket: string;
  /** Before every key: empty, or ends with `/`. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  /** `https://endpoint/bucket/key` instead of `https://bucket.endpoint/key`: what stores of one's own know. */
  readonly forcePathStyle: boolean;
}

const defaultRegion = 'us-east-1';

/**
 * Of `s3://bucket/prefix` and the variables BASEDRIVE_S3_ENDPOINT, BASEDRIVE_S3_REGION, BASEDRIVE_S3_PATH_STYLE, else
 * those of AWS. With an endpoint of one's own the path style is the default.
 */
export function s3Options(url: string, environment: Variables): S3Options {
  const { hostname, pathname } = new URL(url);
  const given = (name: string) => environment[name] || undefined;
  const endpoint =
    given('BASEDRIVE_S3_ENDPOINT') ?? given('AWS_ENDPOINT_URL_S3') ?? given('AWS_ENDPOINT_URL');
  const style = given('BASEDRIVE_S3_PATH_STYLE');
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucket: hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region:
      given('BASEDRIVE_S3_REGION') ?? given('AWS_REGION') ?? given('AWS_DEFAULT_REGION') ?? defaultRegion,
    forcePathStyle: style === undefined ? endpoint !== undefined : /^(1|true|yes|on)$/i.test(style),
  };
}
