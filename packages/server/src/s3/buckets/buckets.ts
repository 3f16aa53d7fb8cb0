import { nameLists } from '../../catalog/names.js';
import { isLocation } from '../../drive/rows.js';
import type { Answer } from '../../http/requests/call.js';
import { driveSpace } from '../../spaces.js';
import { emptyAnswer, xmlAnswer } from '../answers.js';
import { receiveXml } from '../bodies/receive-xml.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { numberParam } from '../request.js';
import { textIn } from '../xml/read-xml.js';
import type { XmlElements } from '../xml/write-xml.js';
import { decodeToken, encodeToken } from './continuation-token.js';
import { noSuchBucket, requireBucket } from './require-bucket.js';

/** The region of buckets that were made without one. Signatures are accepted for every region, whatever the bucket's. */
const region = 'us-east-1';
const maxBodyBytes = 64 * 1024;
const namesAtOnce = 64;
const maxBuckets = 10_000;

export function ownerOf(project: string): XmlElements {
  return { ID: project, DisplayName: project };
}

/** ListBuckets: the drives that the key may use and that exist, as far as it sees (docs/http.md#list-drives). */
export async function listBuckets(call: S3Call): Promise<Answer> {
  const { exchange, request, grant, project, drives, items } = call;
  const limit = numberParam(request, 'max-buckets', maxBuckets, maxBuckets);
  const prefix = request.param('prefix') ?? '';
  const last = decodeToken(request.param('continuation-token'));
  const root = driveSpace(project, '');
  const found: { readonly name: string; readonly sinceMs: number }[] = [];
  const options = { visible: grant.drives, root, atOnce: namesAtOnce };
  for await (const names of nameLists(items, { prefix, last }, options)) {
    const times = await Promise.all(names.map((name) => drives.sinceMs(project, name, grant.prefix)));
    for (const [n, sinceMs] of times.entries()) {
      if (sinceMs !== undefined) found.push({ name: names[n] as string, sinceMs });
    }
    if (found.length > limit) break;
  }
  const listed = found.slice(0, limit);
  const Bucket = listed.map(({ name, sinceMs }) => ({
    Name: name,
    CreationDate: new Date(sinceMs).toISOString(),
  }));
  return xmlAnswer(exchange, 'ListAllMyBucketsResult', {
    Owner: ownerOf(project),
    Buckets: { Bucket },
    Prefix: prefix === '' ? undefined : prefix,
    ContinuationToken: found.length > limit ? encodeToken(listed.at(-1)?.name ?? '') : undefined,
  });
}

/** CreateBucket. One that exists already stays as it is, as in us-east-1. */
export async function createBucket(call: S3Call): Promise<Answer> {
  const { exchange, drives, project, bucket, grant } = call;
  if (grant.prefix !== '') throw new S3Error('AccessDenied');
  const hasBody = (exchange.contentLength ?? 0) > 0 || exchange.headers['transfer-encoding'] !== undefined;
  let location: string | undefined;
  if (hasBody) {
    const body = await receiveXml(call, maxBodyBytes, 'CreateBucketConfiguration');
    const other = body.elements.find(({ name }) => name !== 'LocationConstraint');
    if (other !== undefined) throw new S3Error('NotImplemented', undefined, { Resource: other.name });
    location = textIn(body, 'LocationConstraint') || undefined;
    if (location !== undefined && !isLocation(location)) {
      throw new S3Error('InvalidLocationConstraint');
    }
  }
  if (bucketNameProblem(bucket) !== undefined) {
    // Drives that others have made may have other names.
    const isThere = (await drives.sinceMs(project, bucket)) !== undefined;
    if (!isThere) throw new S3Error('InvalidBucketName', bucketNameProblem(bucket), { BucketName: bucket });
  }
  await drives.keep(project, bucket, location === region ? undefined : location);
  return emptyAnswer(exchange, 200, ['Location', `/${encodeURIComponent(bucket)}`]);
}

/** HeadBucket. */
export async function headBucket(call: S3Call): Promise<Answer> {
  await requireBucket(call);
  const location = await call.drives.locationOf(call.project, call.bucket);
  return emptyAnswer(call.exchange, 200, ['x-amz-bucket-region', location ?? region]);
}

/** DeleteBucket. Open uploads are aborted. */
export async function deleteBucket(call: S3Call): Promise<Answer> {
  const { exchange, drives, project, bucket, grant } = call;
  if (grant.prefix !== '') throw new S3Error('AccessDenied');
  const result = await drives.drop(project, bucket);
  if (result === 'absent') throw noSuchBucket(bucket);
  if (result === 'not empty') throw new S3Error('BucketNotEmpty', undefined, { BucketName: bucket });
  for (;;) {
    const query = { prefix: '', within: '', after: '', afterId: '', limit: 100 };
    const open = await drives.uploads.listByName(project, bucket, query);
    for (const { name, uploadId } of open) await drives.uploads.abort(project, bucket, name, uploadId);
    if (open.length < query.limit) return emptyAnswer(exchange, 204);
  }
}

/** GetBucketLocation: what CreateBucket said. Empty means us-east-1. */
export async function getBucketLocation(call: S3Call): Promise<Answer> {
  await requireBucket(call);
  const location = await call.drives.locationOf(call.project, call.bucket);
  return xmlAnswer(call.exchange, 'LocationConstraint', location === region ? '' : (location ?? ''));
}

const rule = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;
const reservedBegins = ['xn--', 'sthree-', 'amzn-s3-demo-'];
const reservedEnds = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

/** What is wrong with the name of a new bucket, by AWS's rules for general purpose buckets; undefined if it is good. */
function bucketNameProblem(name: string): string | undefined {
  if (!rule.test(name)) return 'A bucket has 3 to 63 lower-case letters, digits, dots and hyphens';
  if (/\.\.|\.-|-\./.test(name)) return 'A bucket has no two dots in a row, and no hyphen next to a dot';
  if (address.test(name)) return 'A bucket is not named like an IP address';
  const isReserved =
    reservedBegins.some((begin) => name.startsWith(begin)) || reservedEnds.some((end) => name.endsWith(end));
  return isReserved ? 'The beginning or the end of the name is reserved' : undefined;
}
