import { isWithin } from '../../access/scope.js';
import type { OpenFile } from '../../drive/downloads/open-file.js';
import { type ChecksumAlgorithm, checksumAlgorithms } from '../../drive/rows.js';
import type { Answer } from '../../http/requests/call.js';
import type { Exchange } from '../../http/requests/exchange.js';
import { xmlAnswer } from '../answers.js';
import { createSums, type FoundSums } from '../bodies/sums.js';
import { noSuchKey, requireBucket } from '../buckets/require-bucket.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { amzFieldsOf } from '../request.js';
import { decodePath } from '../signature/encoding.js';
import { entityTagOf, readCondition, writeCondition } from './entity-tag.js';
import { requireKey } from './key.js';
import { aboutObject, objectChecksum } from './object-headers.js';
import { maxBodyBytes } from './put-object.js';

/** CopyObject: the bytes are copied as they are read, so a copy belongs to its own name alone. */
export async function copyObject(call: S3Call): Promise<Answer> {
  const { exchange, request, drives, project, bucket, key } = call;
  requireKey(key);
  const replaces = directive(call, 'x-amz-metadata-directive');
  directive(call, 'x-amz-tagging-directive');
  const condition = writeCondition(request);
  const from = sourceOf(call);
  await requireBucket(call);
  if (from.bucket === bucket && from.key === key && !replaces) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata",
    );
  }
  const file = await openSource(call, from);
  try {
    if (file.row.sizeBytes > maxBodyBytes) {
      throw new S3Error('InvalidRequest', 'The specified copy source is larger than 5 GiB: copy it in parts');
    }
    const { row } = file;
    const { requireAccess } = exchange;
    const about = replaces
      ? aboutObject(request, amzFieldsOf(call.request))
      : { contentType: row.contentType, metadata: row.metadata, headers: row.headers };
    const algorithm = askedAlgorithm(call) ?? row.checksum?.algorithm;
    const { source, sums } = await copied(exchange, file, { algorithm });
    const made = await drives.copying(project)(() => {
      exchange.check();
      return drives.put(project, bucket, key, { ...about, source, sums, requireAccess, condition });
    });
    return xmlAnswer(exchange, 'CopyObjectResult', {
      LastModified: new Date(made.modifiedMs).toISOString(),
      ETag: entityTagOf(made),
      ...objectChecksum(made.checksum),
    });
  } finally {
    file.release();
  }
}

function directive({ request }: S3Call, name: string): boolean {
  const value = request.field(name) ?? 'COPY';
  if (value !== 'COPY' && value !== 'REPLACE') throw new S3Error('InvalidArgument', `Unknown ${name}`);
  return value === 'REPLACE';
}

/** The checksum that a request asks for. Throws `InvalidRequest` for one that there is not. */
export function askedAlgorithm({ request }: S3Call): ChecksumAlgorithm | undefined {
  const asked = request.field('x-amz-checksum-algorithm')?.toUpperCase();
  const algorithm = checksumAlgorithms.find((name) => name === asked);
  if (asked === undefined || algorithm !== undefined) return algorithm;
  throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported');
}

/** Reads `x-amz-copy-source`, which the key must be allowed to read. Throws an `S3Error`. */
export function sourceOf({ request, grant }: S3Call): Pick<S3Call, 'bucket' | 'key'> {
  const text = request.field('x-amz-copy-source') ?? '';
  const at = text.indexOf('?');
  const version = at === -1 ? undefined : new URLSearchParams(text.slice(at + 1)).get('versionId');
  // Node gives each byte of a header as one character.
  const path = decodePath(Buffer.from(at === -1 ? text : text.slice(0, at), 'latin1').toString());
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(path) ?? [];
  if (bucket === undefined || key === undefined) {
    throw new S3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  }
  if (version !== undefined && version !== null && version !== 'null') throw new S3Error('NoSuchVersion');
  if (!grant.drives.has(bucket) || !isWithin(grant, key)) throw new S3Error('AccessDenied');
  return { bucket, key };
}

/** Opens what is to be copied, and compares it with the conditions of the request. It must be released. */
export async function openSource(call: S3Call, { bucket, key }: Pick<S3Call, 'bucket' | 'key'>) {
  requireKey(key);
  const file = await call.drives.open(call.project, bucket, key);
  if (file === undefined) throw await noSuchKey(call, bucket, key);
  if (readCondition(call.request, file.row, 'x-amz-copy-source-') !== 'proceed') {
    file.release();
    throw new S3Error('PreconditionFailed');
  }
  return file;
}

interface Copied {
  /** Undefined: all bytes. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  /** The checksum to compute of them. */
  readonly algorithm: ChecksumAlgorithm | undefined;
}

/**
 * The bytes of an open file as those of a new one. Reading them throws an `Abandoned` error as soon as the client has left or
 * the key has ended: a copy may have gigabytes (docs/http.md#delete-key).
 */
export async function copied(
  exchange: Pick<Exchange, 'check'>,
  file: OpenFile,
  { range, algorithm }: Copied,
) {
  const computed = await createSums({ algorithm, withSha256: false, isShort: false });
  let found: FoundSums | undefined;
  async function* read(): AsyncGenerator<Buffer> {
    const { start, end } = range ?? { start: 0, end: file.row.sizeBytes - 1 };
    if (end >= start) {
      for await (const chunk of file.read({ start, end })) {
        exchange.check();
        // The reader may use its buffer again while the writer still gathers.
        const kept = Buffer.from(chunk);
        await computed.add(kept);
        yield kept;
      }
    }
    found = await computed.finish();
  }
  return { source: read(), sums: () => (found as FoundSums).sums };
}
