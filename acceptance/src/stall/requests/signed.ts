import { AwsClient } from 'aws4fetch';
import type { Api, Reply, SendOptions } from '../../api.js';
import { must } from './hostile-request.js';

const signers = new WeakMap<Api, Promise<AwsClient>>();

/** Signs for a key of the project, which is made for the first request. */
function signerOf(api: Api): Promise<AwsClient> {
  const known = signers.get(api);
  if (known !== undefined) return known;
  const made = must(201, api.send('POST', `/v1/${api.target.project}/keys`, { json: { s3: true } }));
  const signer = made.then((reply) => {
    const { access_key_id, secret_access_key } = reply.json<Record<string, string>>();
    const credentials = { accessKeyId: access_key_id ?? '', secretAccessKey: secret_access_key ?? '' };
    return new AwsClient({ ...credentials, service: 's3', region: 'us-east-1' });
  });
  signers.set(api, signer);
  return signer;
}

export interface SignedOptions extends Pick<SendOptions, 'body' | 'headers'> {
  /** Whether the signature is in the URL. */
  readonly isPresigned?: boolean;
}

/** Sends a request of an S3 client. `path`: with the bucket. */
export async function sendSigned(
  api: Api,
  method: string,
  path: string,
  { body, headers = {}, isPresigned = false }: SignedOptions = {},
): Promise<Reply> {
  const url = new URL(path, api.target.url);
  const how = { method, headers: { ...headers }, aws: { signQuery: isPresigned } };
  const signed = await (await signerOf(api)).sign(url.href, how);
  const { pathname, search } = new URL(signed.url);
  return await api.send(method, pathname + search, {
    key: null,
    headers: Object.fromEntries(signed.headers),
    ...(body !== undefined && { body }),
  });
}
