import type { Entry } from '../../drive/files/list-entries.js';
import type { FileRow } from '../../drive/rows.js';
import type { Answer } from '../../http/requests/call.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { isoTime } from '../../lib/text/iso-time.js';
import { xmlAnswer } from '../answers.js';
import { ownerOf } from '../buckets/buckets.js';
import { decodeToken, encodeToken } from '../buckets/continuation-token.js';
import { requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { numberParam } from '../request.js';
import { encodePath } from '../signature/encoding.js';
import { contentOf, escapeXml, WrittenXml, type XmlElements } from '../xml/write-xml.js';
import { entityTagOf } from './entity-tag.js';
import { checksumType } from './object-headers.js';

const maxKeys = 1000;
/** The longest texts that can say anything about a name. */
const maxTextBytes = 1024;

type ListParameters = ReturnType<typeof listParameters>;

/** What the requests of all lists have. */
export function listParameters({ request }: S3Call, limitName: string) {
  const encoding = request.param('encoding-type');
  if (encoding !== undefined && encoding !== 'url') {
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request', {
      ArgumentName: 'encoding-type',
      ArgumentValue: encoding,
    });
  }
  const delimiter = request.param('delimiter') ?? '';
  // Ceph's extension. The order that every list has is one of those that it allows.
  if (delimiter !== '' && request.param('allow-unordered') === 'true') {
    throw new S3Error('InvalidArgument', 'allow-unordered and delimiter exclude each other');
  }
  return {
    prefix: request.param('prefix') ?? '',
    delimiter,
    limit: numberParam(request, limitName, maxKeys, maxKeys),
    /** Writes a name as the request asked for it. */
    written: encoding === 'url' ? encodePath : (name: string) => name,
    EncodingType: encoding,
  };
}

async function pageOf(call: S3Call, { prefix, delimiter, limit }: ListParameters, after: string) {
  await requireBucket(call);
  const { drives, project, bucket, grant } = call;
  const isTooLong = [prefix, after].some((text) => Buffer.byteLength(text) > maxTextBytes);
  // No name is that long. After a marker that long, there could be names, but no client got it from a list.
  if (limit === 0 || isTooLong) return { entries: [], more: false };
  const query = { prefix, delimiter, limit, after, within: grant.prefix };
  return await drives.listEntries(project, bucket, query);
}

interface Page {
  readonly entries: readonly Entry[];
  readonly more: boolean;
  /** The name of the last entry; empty without entries. */
  readonly last: string;
}

/** How the objects of a list are written. */
interface ObjectElement {
  readonly tag: 'Contents' | 'Version';
  /** What else each has. */
  readonly more: XmlElements;
}

/** To write an object takes 3 µs. */
const objectsAStep = 100;

function* listed(
  entries: readonly Entry[],
  written: (name: string) => string,
  { tag, more }: ObjectElement,
): Steps<XmlElements> {
  const pieces: string[] = [];
  let objects: string[] = [];
  const CommonPrefixes: XmlElements[] = [];
  const rest = contentOf({ StorageClass: 'STANDARD', ...more });
  for (const { name, file } of entries) {
    if (file === undefined) CommonPrefixes.push({ Prefix: written(name) });
    else objects.push(`<${tag}><Key>${escapeXml(written(name))}</Key>${aboutFile(file)}${rest}</${tag}>`);
    if (objects.length < objectsAStep) continue;
    pieces.push(objects.join(''));
    objects = [];
    yield;
  }
  return { objects: new WrittenXml(pieces.join('') + objects.join('')), CommonPrefixes };
}

function aboutFile(file: FileRow): string {
  const { checksum, sizeBytes } = file;
  const sums = checksum && { ChecksumAlgorithm: checksum.algorithm, ChecksumType: checksumType(checksum) };
  const tag = entityTagOf(file).slice(1, -1);
  return (
    `<LastModified>${isoTime(file.modifiedMs)}</LastModified><ETag>&quot;${tag}&quot;</ETag>` +
    `${sums === undefined ? '' : contentOf(sums)}<Size>${sizeBytes}</Size>`
  );
}

/** What decoding, or XML, would change. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unlikePlain = /[%+\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/;

/** ListObjects, the first version. Some clients decode its prefix, and boto3 does not: it is plain where both read the same. */
export async function listObjects(call: S3Call): Promise<Answer> {
  const marker = call.request.param('marker') ?? '';
  const each = { tag: 'Contents', more: { Owner: ownerOf(call.project) } } as const;
  return await listAnswer(call, marker, each, ({ prefix, delimiter, written }, { more, last }) => ({
    Prefix: unlikePlain.test(prefix) ? written(prefix) : prefix,
    Marker: written(marker),
    NextMarker: more && delimiter !== '' ? written(last) : undefined,
  }));
}

/** ListObjectsV2. */
export async function listObjectsV2(call: S3Call): Promise<Answer> {
  const { request, project } = call;
  const token = request.param('continuation-token');
  const startAfter = request.param('start-after');
  const after = token ? decodeToken(token) : (startAfter ?? '');
  const owner = request.param('fetch-owner') === 'true' ? ownerOf(project) : undefined;
  const each = { tag: 'Contents', more: { Owner: owner } } as const;
  return await listAnswer(call, after, each, ({ prefix, written }, { entries, more, last }) => ({
    Prefix: written(prefix),
    StartAfter: startAfter === undefined ? undefined : written(startAfter),
    ContinuationToken: token,
    NextContinuationToken: more ? encodeToken(last) : undefined,
    KeyCount: entries.length,
  }));
}

/** ListObjectVersions: each object is its only version, so that tools which clean up find all of them. */
export async function listObjectVersions(call: S3Call): Promise<Answer> {
  const marker = call.request.param('key-marker') ?? '';
  const version = { Owner: ownerOf(call.project), VersionId: 'null', IsLatest: true };
  const each = { tag: 'Version', more: version } as const;
  return await listAnswer(call, marker, each, ({ prefix, written }, { more, last }) => ({
    Prefix: written(prefix),
    KeyMarker: written(marker),
    VersionIdMarker: '',
    NextKeyMarker: more ? written(last) : undefined,
    NextVersionIdMarker: more ? 'null' : undefined,
  }));
}

/** A page of a list after a name. `place` says where it begins and ends, as this kind of list has it. */
async function listAnswer(
  call: S3Call,
  after: string,
  element: ObjectElement,
  place: (parameters: ListParameters, page: Page) => XmlElements,
): Promise<Answer> {
  const { exchange, bucket } = call;
  const parameters = listParameters(call, 'max-keys');
  const { delimiter, limit, written, EncodingType } = parameters;
  const { entries, more } = await pageOf(call, parameters, after);
  const last = entries.at(-1)?.name ?? '';
  const root = element.tag === 'Version' ? 'ListVersionsResult' : 'ListBucketResult';
  return xmlAnswer(exchange, root, {
    Name: bucket,
    ...place(parameters, { entries, more, last }),
    MaxKeys: limit,
    Delimiter: delimiter === '' ? undefined : written(delimiter),
    IsTruncated: more,
    EncodingType,
    ...(await exchange.run(listed(entries, written, element))),
  });
}
