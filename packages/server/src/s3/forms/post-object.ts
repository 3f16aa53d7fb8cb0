import type { Answer } from '../../http/requests/call.js';
import { emptyAnswer, xmlAnswer } from '../answers.js';
import { receiveChunks } from '../bodies/receive.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { entityTagOf } from '../objects/entity-tag.js';
import { requireKey } from '../objects/key.js';
import { aboutObject, checksumHeaders } from '../objects/object-headers.js';
import { maxBodyBytes } from '../objects/put-object.js';
import type { S3Request } from '../request.js';
import { encode, encodePath } from '../signature/encoding.js';
import type { Policy } from './policy.js';
import type { PostedForm } from './read-form.js';

/** Fields that are called otherwise than the header that says the same. */
const headersOfFields: ReadonlyMap<string, string> = new Map([
  ['acl', 'x-amz-acl'],
  ['tagging', 'x-amz-tagging'],
]);

/** A form as the request that puts the same object. `fields`: with the bucket. Throws `InvalidArgument`. */
export function requestOfForm(
  request: S3Request,
  fields: ReadonlyMap<string, string>,
): { readonly request: S3Request; readonly names: readonly string[] } {
  const key = fields.get('key');
  if (key === undefined) {
    const message =
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.";
    throw new S3Error('InvalidArgument', message, { ArgumentName: 'key', ArgumentValue: '' });
  }
  const headers = new Map<string, string>();
  for (const [name, value] of fields) {
    headers.set(headersOfFields.get(name) ?? name, Buffer.from(value).toString('latin1'));
  }
  return {
    request: { ...request, key, isPresigned: false, field: (name) => headers.get(name) },
    names: [...headers.keys()],
  };
}

/** PostObject: what a browser's form puts. Throws an `S3Error`. */
export async function postObject(
  call: S3Call,
  { fields, chunks }: PostedForm,
  { minBytes, maxBytes }: Pick<Policy, 'minBytes' | 'maxBytes'>,
): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  requireKey(key);
  const about = aboutObject(request, [...fields.keys()]);
  await requireBucket(call);
  const { requireAccess } = exchange;
  const range = { minBytes, maxBytes: Math.min(maxBytes, maxBodyBytes) };
  const { source, sums } = await receiveChunks(request, chunks, range);
  const file = await drives.put(project, bucket, key, { ...about, source, sums, requireAccess });
  const tag = entityTagOf(file);
  const Location = `/${encode(bucket)}/${encodePath(key)}`;
  const page = pageOf(fields.get('success_action_redirect') ?? fields.get('redirect'));
  if (page !== undefined) {
    // As text, since `URL` would write a space as `+`.
    const made = `bucket=${encode(bucket)}&key=${encode(key)}&etag=${encode(tag)}`;
    page.search = page.search === '' ? made : `${page.search}&${made}`;
    return emptyAnswer(exchange, 303, ['Location', page.href, 'ETag', tag]);
  }
  const headers = ['Location', Location, 'ETag', tag, ...checksumHeaders(file.checksum)];
  const status = fields.get('success_action_status');
  if (status !== '201') return emptyAnswer(exchange, status === '200' ? 200 : 204, headers);
  const elements = { Location, Bucket: bucket, Key: key, ETag: tag };
  return { ...xmlAnswer(exchange, 'PostResponse', elements, headers), status: 201 };
}

/** The page to show next; undefined for what no browser should be sent to. */
function pageOf(text: string | undefined): URL | undefined {
  const page = text === undefined || !URL.canParse(text) ? undefined : new URL(text);
  return page?.protocol === 'http:' || page?.protocol === 'https:' ? page : undefined;
}
