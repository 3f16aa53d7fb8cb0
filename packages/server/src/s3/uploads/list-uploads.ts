import type { NamedUpload } from '../../drive/uploads/list-uploads.js';
import type { PartList } from '../../drive/uploads/read-parts.js';
import type { Answer } from '../../http/requests/call.js';
import { xmlAnswer } from '../answers.js';
import { ownerOf } from '../buckets/buckets.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { listParameters } from '../objects/list-objects.js';
import { checksumType, partChecksum } from '../objects/object-headers.js';
import { numberParam } from '../request.js';
import type { XmlElements } from '../xml/write-xml.js';
import { maxPart, noSuchUpload, uploadIdOf } from './uploads.js';

const maxParts = 1000;

/** ListParts. */
export async function listParts(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  const uploadId = uploadIdOf(call);
  const limit = numberParam(request, 'max-parts', maxParts, maxParts);
  const after = numberParam(request, 'part-number-marker', Number.MAX_SAFE_INTEGER, 0);
  const found = await drives.uploads.read(project, bucket, key, {
    uploadId,
    after: Math.min(after, maxPart),
    limit: limit + 1,
    use: (upload, parts) => ({ upload, parts: parts.map(listedPart) }),
  });
  if (found === undefined) {
    await requireBucket(call);
    throw noSuchUpload(uploadId);
  }
  const { upload, parts } = found;
  const Part = parts.slice(0, limit);
  const owner = ownerOf(project);
  return xmlAnswer(exchange, 'ListPartsResult', {
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    Initiator: owner,
    Owner: owner,
    StorageClass: 'STANDARD',
    PartNumberMarker: after,
    NextPartNumberMarker: Part.at(-1)?.PartNumber ?? 0,
    MaxParts: limit,
    IsTruncated: parts.length > Part.length,
    ChecksumAlgorithm: upload.checksum?.algorithm,
    ChecksumType: upload.checksum && checksumType(upload.checksum),
    Part,
  });
}

function listedPart([PartNumber, { md5, sizeBytes, modifiedMs = 0, id, checksum }]: PartList[number]) {
  return {
    PartNumber,
    LastModified: new Date(modifiedMs).toISOString(),
    ETag: `"${md5 ?? `${id}-1`}"`,
    Size: sizeBytes,
    ...partChecksum(checksum),
  };
}

/** It comes after every name that begins with the text before it. */
const last = '\u{10ffff}';

/** ListMultipartUploads. */
export async function listMultipartUploads(call: S3Call): Promise<Answer> {
  const { exchange, request, bucket, project } = call;
  await requireBucket(call);
  const { prefix, delimiter, limit, written, EncodingType } = listParameters(call, 'max-uploads');
  const keyMarker = request.param('key-marker') ?? '';
  const idMarker = keyMarker === '' ? '' : (request.param('upload-id-marker') ?? '');
  const { entries, more } = await pageOf(call, { prefix, delimiter, limit, keyMarker, idMarker });
  const end = entries.at(-1);
  const owner = ownerOf(project);
  const uploads = entries.filter((entry): entry is NamedUpload => 'uploadId' in entry);
  const Upload = uploads.map(
    ({ name, uploadId, openedMs }): XmlElements => ({
      Key: written(name),
      UploadId: uploadId,
      Initiator: owner,
      Owner: owner,
      StorageClass: 'STANDARD',
      Initiated: new Date(openedMs).toISOString(),
    }),
  );
  const common = entries.filter((entry) => !('uploadId' in entry));
  return xmlAnswer(exchange, 'ListMultipartUploadsResult', {
    Bucket: bucket,
    KeyMarker: written(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: more && end ? written(end.name) : undefined,
    NextUploadIdMarker: more && end && 'uploadId' in end ? end.uploadId : undefined,
    Prefix: written(prefix),
    Delimiter: delimiter === '' ? undefined : written(delimiter),
    MaxUploads: limit,
    IsTruncated: more,
    EncodingType,
    Upload,
    CommonPrefixes: common.map(({ name }): XmlElements => ({ Prefix: written(name) })),
  });
}

interface Page {
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
  readonly keyMarker: string;
  readonly idMarker: string;
}

type Entry = NamedUpload | { readonly name: string };

async function pageOf(
  { drives, project, bucket, grant }: S3Call,
  { prefix, delimiter, limit, keyMarker, idMarker }: Page,
): Promise<{ readonly entries: readonly Entry[]; readonly more: boolean }> {
  const commonOf = (name: string) => {
    const at = delimiter === '' || !name.startsWith(prefix) ? -1 : name.indexOf(delimiter, prefix.length);
    return at === -1 ? undefined : name.slice(0, at + delimiter.length);
  };
  const entries: Entry[] = [];
  let [after, afterId] = [keyMarker, idMarker];
  if (commonOf(after) === after) after += last;
  if (limit === 0) return { entries, more: false };
  for (;;) {
    const query = { prefix, within: grant.prefix, after, afterId, limit: limit + 1 };
    const found = await drives.uploads.listByName(project, bucket, query);
    let skipped: string | undefined;
    for (const upload of found) {
      if (skipped !== undefined && upload.name.startsWith(skipped)) continue;
      if (entries.length === limit) return { entries, more: true };
      skipped = commonOf(upload.name);
      entries.push(skipped === undefined ? upload : { name: skipped });
    }
    if (found.length <= limit) return { entries, more: false };
    const end = found.at(-1) as NamedUpload;
    [after, afterId] = skipped === undefined ? [end.name, end.uploadId] : [skipped + last, ''];
  }
}
