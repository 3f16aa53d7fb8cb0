import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:https';
import { after, before } from 'node:test';
import { CreateBucketCommand, S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import { type Api, createApi } from '../../src/api.js';
import { openTarget, type Target } from '../../src/target.js';
import { createKey } from './keys.js';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The credentials of a key, with the key itself. */
interface KeyCredentials extends Credentials {
  readonly id: string;
  readonly key: string;
}

/** The service under test, as S3 clients see it. */
export interface S3Service {
  readonly target: Target;
  readonly api: Api;
  readonly client: S3Client;
  readonly credentials: Credentials;
  /** A new bucket with nothing in it. */
  bucket(): Promise<string>;
  /** The credentials of a key with these limits. */
  credentialsOf(limits: object): Promise<KeyCredentials>;
  clientOf(credentials: Credentials, more?: S3ClientConfig): S3Client;
}

/** Opens the service before the tests of a file, and closes it after them. */
export function useS3(): S3Service {
  const service = {} as { -readonly [Name in keyof S3Service]: S3Service[Name] };
  before(async () => Object.assign(service, await openS3(await openTarget())));
  after(async () => {
    service.client.destroy();
    service.api.close();
    await service.target.close();
  });
  return service;
}

export async function openS3(target: Target): Promise<S3Service> {
  const api = createApi(target);
  const credentialsOf = async (limits: object): Promise<KeyCredentials> => {
    const made = (await createKey(api, { s3: true, ...limits })) as Awaited<ReturnType<typeof createKey>> & {
      readonly access_key_id: string;
      readonly secret_access_key: string;
    };
    return { ...made, accessKeyId: made.access_key_id, secretAccessKey: made.secret_access_key };
  };
  const clientOf = (credentials: Credentials, more: S3ClientConfig = {}) =>
    new S3Client({
      endpoint: target.url.origin,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
      maxAttempts: 1,
      ...(target.authority && { requestHandler: { httpsAgent: new Agent({ ca: target.authority }) } }),
      ...more,
    });
  const credentials = await credentialsOf({});
  const client = clientOf(credentials);
  return {
    target,
    api,
    client,
    credentials,
    credentialsOf,
    clientOf,
    async bucket() {
      const Bucket = newBucket();
      await client.send(new CreateBucketCommand({ Bucket }));
      return Bucket;
    },
  };
}

export function newBucket(): string {
  return `bucket-${randomBytes(6).toString('hex')}`;
}

/** Rejects with the error of S3 of this code, and of this status. */
export async function rejectsWith(work: Promise<unknown>, code: string, status?: number): Promise<void> {
  await assert.rejects(work, (cause) => {
    assert.ok(cause instanceof S3ServiceException, String(cause));
    assert.equal(cause.name, code);
    if (status !== undefined) assert.equal(cause.$metadata.httpStatusCode, status);
    return true;
  });
}

export async function bytesOf(
  body: { transformToByteArray(): Promise<Uint8Array> } | undefined,
): Promise<Buffer> {
  return Buffer.from((await body?.transformToByteArray()) ?? []);
}
