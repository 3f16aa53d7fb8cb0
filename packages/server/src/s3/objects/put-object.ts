import type { Answer } from '../../http/requests/call.js';
import { emptyAnswer } from '../answers.js';
import { receiveBody } from '../bodies/receive.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { fieldsOf } from '../request.js';
import { entityTagOf, writeCondition } from './entity-tag.js';
import { requireKey } from './key.js';
import { aboutObject, checksumHeaders } from './object-headers.js';

/** The largest object of one request, and the largest part: 5 GiB. */
export const maxBodyBytes = 5 * 1024 ** 3;

/** PutObject. */
export async function putObject(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  requireKey(key);
  const about = aboutObject(request, fieldsOf(call));
  const condition = writeCondition(request);
  await requireBucket(call);
  const { source, sums } = await receiveBody(call, maxBodyBytes);
  const file = await drives.put(project, bucket, key, { ...about, source, sums, condition });
  return emptyAnswer(exchange, 200, ['ETag', entityTagOf(file), ...checksumHeaders(file.checksum)]);
}
