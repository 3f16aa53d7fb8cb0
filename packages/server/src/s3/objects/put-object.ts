import type { Answer } from '../../http/requests/call.js';
import { emptyAnswer } from '../answers.js';
import { receiveBody } from '../bodies/receive.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { amzFieldsOf } from '../request.js';
import { entityTagOf, writeCondition } from './entity-tag.js';
import { requireKey } from './key.js';
import { aboutObject, checksumHeaders } from './object-headers.js';

/** The largest object of one request, and the largest part: 5 GiB. */
export const maxBodyBytes = 5 * 1024 ** 3;

/** How many bytes an object or a part will have, as far as the client has announced it. */
export function announcedBytesOf({ exchange, request }: S3Call): number | undefined {
  const decoded = request.field('x-amz-decoded-content-length');
  return decoded === undefined ? exchange.contentLength : Number.parseInt(decoded, 10) || undefined;
}

/** PutObject. */
export async function putObject(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  requireKey(key);
  const about = aboutObject(request, amzFieldsOf(call.request));
  const condition = writeCondition(request);
  await requireBucket(call);
  const { source, sums } = await receiveBody(call, maxBodyBytes);
  const announcedBytes = announcedBytesOf(call);
  const { requireAccess } = exchange;
  const given = { ...about, source, announcedBytes, sums, requireAccess, condition };
  const file = await drives.put(project, bucket, key, given);
  return emptyAnswer(exchange, 200, ['ETag', entityTagOf(file), ...checksumHeaders(file.checksum)]);
}
