import { createHash, createHmac } from 'node:crypto';

/** The credentials of an S3 store, and where it is. */
export interface S3Address {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A request of S3. `path`: percent-encoded. `query`: its parameters, in the order of their names, percent-encoded. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: string;
}

const region = 'us-east-1';
const bodyHash = 'UNSIGNED-PAYLOAD';
const signed = 'host;x-amz-content-sha256;x-amz-date';

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The headers with which a request is signed by SigV4 (docs/s3.md). Every store takes them for some minutes. */
export function signedHeaders(
  { url, accessKeyId, secretAccessKey }: S3Address,
  { method, path, query = '' }: S3Request,
): Readonly<Record<string, string>> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const { host } = new URL(url);
  const fields = `host:${host}\nx-amz-content-sha256:${bodyHash}\nx-amz-date:${time}\n`;
  const canonical = [method, path, query, fields, signed, bodyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const keyOfDay = ['s3', 'aws4_request'].reduce(
    (key, part) => hmac(key, part),
    hmac(hmac(`AWS4${secretAccessKey}`, day), region),
  );
  const signature = hmac(keyOfDay, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`).toString('hex');
  return {
    Host: host,
    'X-Amz-Content-Sha256': bodyHash,
    'X-Amz-Date': time,
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** The target of a request. */
export function targetOf({ path, query = '' }: S3Request): string {
  return query === '' ? path : `${path}?${query}`;
}
