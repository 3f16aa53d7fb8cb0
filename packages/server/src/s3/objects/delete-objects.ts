import { isWithin } from '../../access/scope.js';
import type { FileCondition } from '../../drive/files/put-file.js';
import type { Answer } from '../../http/requests/call.js';
import { emptyAnswer, s3ErrorOf, xmlAnswer } from '../answers.js';
import { receiveXml } from '../bodies/receive-xml.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { malformed, textIn, type XmlElement } from '../xml/read-xml.js';
import type { XmlElements } from '../xml/write-xml.js';
import { deleteCondition } from './entity-tag.js';
import { requireKey } from './key.js';

const maxKeys = 1000;
const maxBodyBytes = 8 * 1024 * 1024;

/** DeleteObject. A key need not exist. */
export async function deleteObject(call: S3Call): Promise<Answer> {
  const { drives, project, bucket, key, exchange, request } = call;
  requireKey(key);
  const condition = deleteCondition({
    tag: request.field('if-match'),
    otherTags: request.field('if-none-match'),
    modified: request.field('x-amz-if-match-last-modified-time'),
    size: request.field('x-amz-if-match-size'),
  });
  await requireBucket(call);
  await drives.remove(project, bucket, [key], condition);
  return emptyAnswer(exchange, 204);
}

interface ObjectToDelete {
  readonly key: string;
  readonly condition: FileCondition | undefined;
  readonly versionId: string | undefined;
}

/** DeleteObjects: up to 1,000 keys, those without conditions in one step. */
export async function deleteObjects(call: S3Call): Promise<Answer> {
  const { drives, project, bucket, exchange } = call;
  await requireBucket(call);
  const body = await receiveXml(call, maxBodyBytes, 'Delete');
  const elements = body.elements.filter(({ name }) => name === 'Object');
  if (elements.length === 0 || elements.length > maxKeys) throw malformed();
  const objects = elements.map(objectToDelete);
  const isQuiet = textIn(body, 'Quiet')?.trim().toLowerCase() === 'true';
  const errors = new Map<ObjectToDelete, S3Error>();
  for (const one of objects) {
    const problem = problemOf(call, one);
    if (problem !== undefined) errors.set(one, problem);
  }
  const free = objects.filter((one) => !errors.has(one) && one.condition === undefined);
  if (free.length > 0) await drives.remove(project, bucket, [...new Set(free.map(({ key }) => key))]);
  for (const one of objects.filter(({ condition }) => condition !== undefined)) {
    if (errors.has(one)) continue;
    try {
      await drives.remove(project, bucket, [one.key], one.condition);
    } catch (cause) {
      errors.set(one, s3ErrorOf(cause));
    }
  }
  const Deleted = objects.filter((one) => !errors.has(one)).map(({ key }): XmlElements => ({ Key: key }));
  const Errors = Array.from(
    errors,
    ([{ key }, { code, message }]): XmlElements => ({ Key: key, Code: code, Message: message }),
  );
  return xmlAnswer(exchange, 'DeleteResult', { Deleted: isQuiet ? [] : Deleted, Error: Errors });
}

function objectToDelete(element: XmlElement): ObjectToDelete {
  const key = textIn(element, 'Key');
  if (key === undefined || key === '') throw malformed();
  const condition = deleteCondition({
    tag: textIn(element, 'ETag'),
    modified: textIn(element, 'LastModifiedTime'),
    size: textIn(element, 'Size'),
  });
  return { key, condition, versionId: textIn(element, 'VersionId') };
}

function problemOf({ grant }: S3Call, { key, versionId }: ObjectToDelete): S3Error | undefined {
  if (!isWithin(grant, key)) return new S3Error('AccessDenied');
  if (versionId !== undefined && versionId !== '' && versionId !== 'null')
    return new S3Error('NoSuchVersion');
  try {
    requireKey(key);
    return undefined;
  } catch (cause) {
    return s3ErrorOf(cause);
  }
}
