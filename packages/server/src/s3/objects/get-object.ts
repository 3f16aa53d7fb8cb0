import { harmless, leasedBody } from '../../drive/downloads/download.js';
import { filePartsOf } from '../../drive/downloads/file-parts.js';
import type { OpenFile } from '../../drive/downloads/open-file.js';
import { rangeApplies } from '../../http/answers/conditional.js';
import { parseRanges, type Range } from '../../http/answers/ranges.js';
import type { Answer } from '../../http/requests/call.js';
import { emptyAnswer, s3Headers } from '../answers.js';
import { noSuchKey } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { entityTagOf, readCondition } from './entity-tag.js';
import { checksumHeaders, givenHeaders, objectHeaders } from './object-headers.js';

/** GetObject and HeadObject. */
export async function getObject(call: S3Call): Promise<Answer> {
  const { drives, project, bucket, key } = call;
  const file = await drives.open(project, bucket, key);
  if (file === undefined) throw await noSuchKey(call);
  try {
    const answer = answerOf(call, file);
    if (typeof answer.body === 'string' || Buffer.isBuffer(answer.body)) file.release();
    return answer;
  } catch (cause) {
    file.release();
    throw cause;
  }
}

function answerOf(call: S3Call, file: OpenFile): Answer {
  const { exchange, request } = call;
  const { row } = file;
  const condition = readCondition(request, row);
  if (condition === 'failed') throw new S3Error('PreconditionFailed');
  const about = objectHeaders(row);
  if (condition === 'not modified') return emptyAnswer(exchange, 304, about);
  const part = partOf(call, file);
  const range = part?.range ?? rangeOf(call, file);
  const { start, end } = range ?? { start: 0, end: file.row.sizeBytes - 1 };
  const isWhole = range === undefined;
  // No Content-Range can say where an empty part is, so the answer is not 206, which needs one.
  const isPartial = !isWhole && end >= start;
  const wantsChecksum = request.field('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';
  const headers = [
    ...s3Headers(exchange),
    ...givenHeaders(request, row),
    ...harmless,
    ...about,
    ...(wantsChecksum && (isWhole || part !== undefined)
      ? checksumHeaders(row.checksum, part?.checksum)
      : []),
    ...(part === undefined || part.count === undefined ? [] : ['x-amz-mp-parts-count', String(part.count)]),
    ...(!isPartial ? [] : ['Content-Range', `bytes ${start}-${end}/${file.row.sizeBytes}`]),
  ];
  const status = isPartial ? 206 : 200;
  if (file.bytes !== undefined && exchange.method !== 'HEAD') {
    return { status, headers, body: isWhole ? file.bytes : file.bytes.subarray(start, end + 1) };
  }
  const length = ['Content-Length', String(end - start + 1)];
  // The body of the answer to a HEAD is never read: it only releases the file.
  const body = leasedBody(() => file.read({ start, end }), file.release);
  return { status, headers: [...headers, ...length], body };
}

/** The range that a request asks for; undefined for the whole object: S3 gives no several ranges at once. */
function rangeOf({ request }: S3Call, file: OpenFile): Range | undefined {
  const header = request.field('range');
  if (header === undefined) return undefined;
  const validators = {
    etag: entityTagOf(file.row),
    lastModified: new Date(file.row.modifiedMs).toUTCString(),
  };
  if (!rangeApplies({ 'if-range': request.field('if-range') }, validators)) return undefined;
  const ranges = parseRanges(header, file.row.sizeBytes);
  if (ranges === 'unsatisfiable') {
    throw new S3Error('InvalidRange', undefined, {
      RangeRequested: header,
      ActualObjectSize: String(file.row.sizeBytes),
    });
  }
  return ranges === 'whole' || ranges.length !== 1 ? undefined : ranges[0];
}

/** The part that `partNumber` asks for. An object that was written whole is its only part. */
function partOf({ request }: S3Call, file: OpenFile) {
  const text = request.param('partNumber');
  if (text === undefined) return undefined;
  const part = Number(text);
  if (!/^\d{1,5}$/.test(text) || part < 1 || part > 10_000) {
    throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
  }
  if (request.field('range') !== undefined) {
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  }
  const parts = filePartsOf(file);
  const wanted = parts[part - 1];
  if (wanted === undefined) throw new S3Error('InvalidPart');
  const start = parts.slice(0, part - 1).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const count = file.row.md5?.includes('-') || parts.length > 1 ? parts.length : undefined;
  const range = file.row.sizeBytes === 0 ? undefined : { start, end: start + wanted.sizeBytes - 1 };
  return { range, count, checksum: wanted.checksum ?? null };
}
