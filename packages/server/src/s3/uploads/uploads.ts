import { createHash } from 'node:crypto';
import type { Checksum, PartRow, UploadRow } from '../../drive/rows.js';
import type { Answer } from '../../http/requests/call.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { isRandomId } from '../../lib/random-id.js';
import { RequestError } from '../../request-error.js';
import { emptyAnswer, xmlAnswer } from '../answers.js';
import { combineCrcs } from '../bodies/combine-crc.js';
import { checksumField, givenChecksum, receiveBody, wrongChecksum } from '../bodies/receive.js';
import { receiveFromXml } from '../bodies/receive-xml.js';
import { compositeOf } from '../bodies/sums.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { askedAlgorithm, copied, openSource, sourceOf } from '../objects/copy-object.js';
import { entityTagOf, writeCondition } from '../objects/entity-tag.js';
import { requireKey } from '../objects/key.js';
import {
  aboutObject,
  checksumHeaders,
  checksumType,
  objectChecksum,
  partChecksum,
} from '../objects/object-headers.js';
import { announcedBytesOf, maxBodyBytes } from '../objects/put-object.js';
import { amzFieldsOf, type S3Request } from '../request.js';
import { type CompletedPart, completedPartBytes, completedParts, partsPerStep } from './completed-parts.js';

export const maxPart = 10_000;
const maxXmlBytes = 8 * 1024 * 1024;
const maxObjectBytes = 5 * 1024 ** 4;

/** CreateMultipartUpload. */
export async function createMultipartUpload(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  requireKey(key);
  if (key.endsWith('/')) throw new S3Error('InvalidRequest', 'The marker of a folder has no parts');
  const about = aboutObject(request, amzFieldsOf(call.request));
  const checksum = checksumOf(call);
  await requireBucket(call);
  const UploadId = await drives.uploads.initialize(project, bucket, key, { ...about, checksum });
  const headers = checksum && [
    'x-amz-checksum-algorithm',
    checksum.algorithm,
    'x-amz-checksum-type',
    checksumType(checksum),
  ];
  const elements = { Bucket: bucket, Key: key, UploadId };
  return xmlAnswer(exchange, 'InitiateMultipartUploadResult', elements, headers);
}

/** Which checksum the object will have. SHA has only composite ones, CRC64NVME only those of all bytes. */
function checksumOf(call: S3Call): UploadRow['checksum'] {
  const algorithm = askedAlgorithm(call);
  const type = call.request.field('x-amz-checksum-type')?.toUpperCase();
  if (algorithm === undefined) {
    if (type === undefined) return undefined;
    throw new S3Error('InvalidRequest', 'The x-amz-checksum-type header needs x-amz-checksum-algorithm');
  }
  const only =
    algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : algorithm.startsWith('SHA') ? 'COMPOSITE' : undefined;
  const chosen = type ?? only ?? 'COMPOSITE';
  if ((chosen !== 'COMPOSITE' && chosen !== 'FULL_OBJECT') || (only !== undefined && chosen !== only)) {
    throw new S3Error(
      'InvalidRequest',
      `The ${chosen} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm`,
    );
  }
  return { algorithm, isComposite: chosen === 'COMPOSITE' || undefined };
}

export function uploadIdOf({ request }: S3Call): string {
  const id = request.param('uploadId') ?? '';
  if (isRandomId(id)) return id;
  throw noSuchUpload(id);
}

export function noSuchUpload(UploadId: string): S3Error {
  return new S3Error('NoSuchUpload', undefined, { UploadId: UploadId.slice(0, 100) });
}

function partNumberOf({ request }: S3Call): number {
  const text = request.param('partNumber') ?? '';
  const part = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (part >= 1 && part <= maxPart) return part;
  throw new S3Error('InvalidArgument', `Part number must be an integer between 1 and ${maxPart}, inclusive`, {
    ArgumentName: 'partNumber',
    ArgumentValue: text.slice(0, 100),
  });
}

/** The upload that a part is for, without its parts. Throws `NoSuchUpload`, and `NoSuchBucket`. */
async function openUpload(call: S3Call, uploadId: string): Promise<UploadRow> {
  const { drives, project, bucket, key } = call;
  const upload = await drives.uploads.find(project, bucket, key, uploadId);
  if (upload !== undefined) return upload;
  await requireBucket(call);
  throw noSuchUpload(uploadId);
}

/** UploadPart. */
export async function uploadPart(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  const part = partNumberOf(call);
  const uploadId = uploadIdOf(call);
  const { checksum } = await openUpload(call, uploadId);
  const algorithm = givenChecksum(request)?.algorithm;
  if (checksum !== undefined && algorithm !== undefined && algorithm !== checksum.algorithm) {
    throw new S3Error(
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${checksum.algorithm.toLowerCase()}, actual checksum Type: ${algorithm.toLowerCase()}`,
    );
  }
  const { source, sums } = await receiveBody(call, maxBodyBytes, checksum?.algorithm);
  const given = { uploadId, part, source, announcedBytes: announcedBytesOf(call), sums };
  const isStored = await drives.uploads.part(project, bucket, key, given);
  if (!isStored) throw noSuchUpload(uploadId);
  const { md5, checksum: ofPart } = sums();
  return emptyAnswer(exchange, 200, ['ETag', `"${md5}"`, ...checksumHeaders(ofPart).slice(0, 2)]);
}

/** UploadPartCopy. */
export async function uploadPartCopy(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key, clock } = call;
  const part = partNumberOf(call);
  const uploadId = uploadIdOf(call);
  const from = sourceOf(call);
  const { checksum: asked } = await openUpload(call, uploadId);
  const file = await openSource(call, from);
  try {
    const range = rangeOf(request.field('x-amz-copy-source-range'), file.row.sizeBytes);
    const size = range === undefined ? file.row.sizeBytes : range.end - range.start + 1;
    if (size > maxBodyBytes) throw new S3Error('InvalidRequest', 'The part is larger than 5 GiB');
    const { source, sums } = await copied(exchange, file, { range, algorithm: asked?.algorithm });
    const isStored = await drives.copying(project)(() => {
      exchange.check();
      return drives.uploads.part(project, bucket, key, { uploadId, part, source, sums });
    });
    if (!isStored) throw noSuchUpload(uploadId);
    const { md5, checksum } = sums();
    return xmlAnswer(exchange, 'CopyPartResult', {
      LastModified: new Date(clock()).toISOString(),
      ETag: `"${md5}"`,
      ...partChecksum(checksum),
    });
  } finally {
    file.release();
  }
}

/** `bytes=first-last`, both of which must be within the object. */
function rangeOf(text: string | undefined, sizeBytes: number) {
  if (text === undefined) return undefined;
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  const [start, end] = [Number(first), Number(last)];
  if (first === undefined || start > end) {
    throw new S3Error(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    );
  }
  if (end >= sizeBytes) {
    throw new S3Error('InvalidRange', `Range specified is not valid for source object of size: ${sizeBytes}`);
  }
  return { start, end };
}

/** CompleteMultipartUpload: no byte is moved. Asked again for an upload that it has ended, it says the same again. */
export async function completeMultipartUpload(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  const uploadId = uploadIdOf(call);
  const condition = writeCondition(request);
  const ofBody = { ...call, request: aboutBody(request) };
  // Long lists of parts are read a few at a time: while this one waits, its body must not keep others from uploading.
  const parts = await receiveFromXml(ofBody, maxXmlBytes, {
    root: 'CompleteMultipartUpload',
    read: (body) => completedParts(body, maxPart),
    bytesOf: (named) => named.length * completedPartBytes,
  });
  const upload = await drives.uploads.find(project, bucket, key, uploadId);
  let made: { readonly md5: string; readonly checksum: Checksum | undefined } | undefined;
  const sums = async (chosen: readonly PartRow[]) => {
    made = await runInSlices(completedSums(call, upload, parts, chosen));
    return made;
  };
  const result = await drives.uploads.end(project, bucket, key, { uploadId, condition, parts, sums });
  if (result === 'unknown') {
    const file = await drives.stat(project, bucket, key);
    if (file?.uploadId === undefined || file.uploadId !== uploadId || file.md5 === undefined) {
      await requireBucket(call);
      throw noSuchUpload(uploadId);
    }
    made = { md5: file.md5, checksum: file.checksum };
  } else if (result !== 'ended') {
    throw result instanceof Error ? result : new RequestError(result.problems);
  }
  const { md5, checksum } = made as NonNullable<typeof made>;
  return xmlAnswer(exchange, 'CompleteMultipartUploadResult', {
    Location: `/${encodeURIComponent(bucket)}/${encodeURIComponent(key)}`,
    Bucket: bucket,
    Key: key,
    ETag: entityTagOf({ id: '', md5 }),
    ...objectChecksum(checksum),
  });
}

/** The request without the checksums in its head, which are those of the object, and not of the body. */
function aboutBody(request: S3Request): S3Request {
  return {
    ...request,
    field: (name) => (name.startsWith('x-amz-checksum-') ? undefined : request.field(name)),
  };
}

/** What is known of the object by its parts, compared with what the request says. */
function* completedSums(
  { request }: S3Call,
  upload: UploadRow | undefined,
  named: readonly CompletedPart[],
  chosen: readonly PartRow[],
): Steps<{ readonly md5: string; readonly checksum: Checksum | undefined }> {
  const size = chosen.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const expectedSize = request.field('x-amz-mp-object-size');
  if (expectedSize !== undefined && Number(expectedSize) !== size) {
    throw new S3Error('InvalidRequest', 'The parts do not have the size that x-amz-mp-object-size says');
  }
  if (size > maxObjectBytes) throw new S3Error('EntityTooLarge');
  const hash = createHash('md5');
  for (const [n, { md5 = '', checksum }] of chosen.entries()) {
    for (const [algorithm, value] of named[n]?.checksums ?? []) {
      if (checksum?.algorithm === algorithm && checksum.value !== value) throw new S3Error('InvalidPart');
    }
    hash.update(md5, 'hex');
    if (n % partsPerStep === 0) yield;
  }
  const md5 = hash.digest('hex');
  yield;
  const checksum = upload?.checksum && (yield* checksumOfParts(upload.checksum, chosen));
  if (checksum !== undefined) {
    const { algorithm, value } = checksum;
    const expected = request.field(checksumField(algorithm)) ?? value;
    if (expected !== value && expected !== value.replace(/-\d+$/, '')) throw wrongChecksum(algorithm);
  }
  return { md5: `${md5}-${chosen.length}`, checksum };
}

function* checksumOfParts(
  { algorithm, isComposite }: NonNullable<UploadRow['checksum']>,
  chosen: readonly PartRow[],
): Steps<Checksum | undefined> {
  const parts = chosen.map(({ checksum, sizeBytes }) => ({ value: checksum?.value ?? '', sizeBytes }));
  if (parts.some(({ value }, n) => value === '' || chosen[n]?.checksum?.algorithm !== algorithm))
    return undefined;
  if (!isComposite) {
    const value = yield* combineCrcs(algorithm, parts);
    return value === undefined ? undefined : { algorithm, value };
  }
  yield;
  const all = Buffer.concat(parts.map(({ value }) => Buffer.from(value, 'base64')));
  return { algorithm, value: `${yield* compositeOf(algorithm, all)}-${parts.length}`, isComposite };
}

/** AbortMultipartUpload. */
export async function abortMultipartUpload(call: S3Call): Promise<Answer> {
  const { exchange, drives, project, bucket, key } = call;
  const uploadId = uploadIdOf(call);
  if (!(await drives.uploads.abort(project, bucket, key, uploadId))) {
    await requireBucket(call);
    throw noSuchUpload(uploadId);
  }
  return emptyAnswer(exchange, 204);
}
