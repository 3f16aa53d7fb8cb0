import { type FilePart, filePartsOf } from '../../drive/downloads/file-parts.js';
import type { Answer } from '../../http/requests/call.js';
import { xmlAnswer } from '../answers.js';
import { noSuchKey } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { numberParam } from '../request.js';
import { entityTagOf, readCondition } from './entity-tag.js';
import { objectChecksum, partChecksum } from './object-headers.js';

const known: ReadonlySet<string> = new Set(['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']);
const maxParts = 1000;

/** GetObjectAttributes. */
export async function getObjectAttributes(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  const asked = (request.field('x-amz-object-attributes') ?? '').split(',').map((name) => name.trim());
  if (asked.some((name) => !known.has(name))) {
    throw new S3Error('InvalidArgument', 'Invalid attribute name specified');
  }
  const file = await drives.open(project, bucket, key);
  if (file === undefined) throw await noSuchKey(call);
  file.release();
  const { row } = file;
  if (readCondition(request, row) === 'failed') throw new S3Error('PreconditionFailed');
  const { checksum } = row;
  const parts = row.md5?.includes('-') ? filePartsOf(file) : undefined;
  return xmlAnswer(
    exchange,
    'GetObjectAttributesResponse',
    {
      ETag: asked.includes('ETag') ? entityTagOf(row).slice(1, -1) : undefined,
      Checksum: asked.includes('Checksum') && checksum ? objectChecksum(checksum) : undefined,
      ObjectParts: asked.includes('ObjectParts') && parts ? partsOf(call, parts) : undefined,
      StorageClass: asked.includes('StorageClass') ? 'STANDARD' : undefined,
      ObjectSize: asked.includes('ObjectSize') ? row.sizeBytes : undefined,
    },
    ['Last-Modified', new Date(row.modifiedMs).toUTCString()],
  );
}

function partsOf({ request }: S3Call, parts: readonly FilePart[]) {
  const headerOf = (name: string) => Number(request.field(name) ?? Number.NaN);
  const given = headerOf('x-amz-max-parts');
  const limit =
    given >= 0 && given < maxParts ? given : numberParam(request, 'max-parts', maxParts, maxParts);
  const after = headerOf('x-amz-part-number-marker') || 0;
  const all = parts.map(({ sizeBytes, checksum }, n) => ({
    PartNumber: n + 1,
    Size: sizeBytes,
    ...partChecksum(checksum),
  }));
  const Part = all.slice(after, after + limit);
  return {
    PartsCount: all.length,
    PartNumberMarker: after,
    NextPartNumberMarker: Part.at(-1)?.PartNumber ?? after,
    MaxParts: limit,
    IsTruncated: after + Part.length < all.length,
    Part,
  };
}
