import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Source } from '../../drive/contents/piece.js';
import { defaultInlineFileBytes } from '../../drive/limits.js';
import { type Checksum, type ChecksumAlgorithm, checksumAlgorithms } from '../../drive/rows.js';
import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import type { S3Request } from '../request.js';
import { readAwsChunked } from './aws-chunked.js';
import { createSums, type FoundSums } from './sums.js';

/** The body of a request, whose bytes are compared with everything that the request says of them. */
export interface ReceivedBody {
  /** Throws an `S3Error` in place of its end if the bytes are others than the request says. */
  readonly source: Source;
  /** What is known of the bytes once the source has ended. */
  readonly sums: () => { readonly md5: string; readonly checksum: Checksum | undefined };
}

export const checksumField = (algorithm: ChecksumAlgorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** The body of a request as it came, with the frames of `aws-chunked`. */
interface RawBody {
  /** If it has no more bytes: the whole. */
  readonly short: (maxBytes: number) => Buffer | Promise<Buffer>;
  readonly pieces: () => AsyncIterable<Buffer>;
}

const tooLarge = () => new S3Error('EntityTooLarge');

/**
 * The body of a request as it arrives, in plain bytes or in `aws-chunked`. `asked`: the checksum to compute if the
 * request brings none. Throws an `S3Error`.
 */
export function receiveBody(
  call: S3Call,
  maxBytes: number,
  asked?: ChecksumAlgorithm,
): Promise<ReceivedBody> {
  const { exchange, drives } = call;
  const use = { keptBytes: drives.keptByWrite, isPrompt: false };
  const raw = {
    short: (bytes: number) => exchange.body(bytes, tooLarge),
    pieces: () => exchange.stream(Number.MAX_SAFE_INTEGER, tooLarge, use),
  };
  return received(call, raw, maxBytes, asked);
}

/**
 * The same of a body that is kept in memory as a whole, which counts from its beginning on, as that of JSON does
 * (docs/http.md#memory). Throws an `S3Error`, and a 429 `RequestError` if there is no room for it.
 */
export async function receiveWhole(call: S3Call, maxBytes: number): Promise<Buffer> {
  const { exchange, payload } = call;
  const bytes = announcedBytes(call);
  if (bytes > maxBytes) throw tooLarge();
  // Frames may take as much as the bytes in them.
  const whole = await exchange.body(payload.chunks === undefined ? maxBytes : 2 * maxBytes, tooLarge);
  const { source } = await received(call, { short: () => whole, pieces: () => piecesOf(whole) }, maxBytes);
  if (Buffer.isBuffer(source)) return source;
  // Without frames, the pieces are the body itself: only their sums are compared.
  const unframed = payload.chunks === undefined ? undefined : Buffer.allocUnsafeSlow(bytes);
  let size = 0;
  for await (const piece of source) {
    unframed?.set(piece, size);
    size += piece.length;
  }
  return unframed?.subarray(0, size) ?? whole;
}

const pieceBytes = 64 * 1024;

/** Others are served between the pieces, whose sums are computed. */
async function* piecesOf(whole: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += pieceBytes) {
    yield whole.subarray(at, at + pieceBytes);
    await nextTurn();
  }
}

async function received(
  call: S3Call,
  body: RawBody,
  maxBytes: number,
  asked?: ChecksumAlgorithm,
): Promise<ReceivedBody> {
  const { exchange, request, payload } = call;
  const bytes = announcedBytes(call);
  if (bytes > maxBytes) throw tooLarge();
  const isShort =
    payload.chunks === undefined && exchange.contentLength !== undefined && bytes <= defaultInlineFileBytes;
  const { given, add, end, sums } = await comparison(request, { sha256: payload.sha256, asked, isShort });
  let trailer: string | undefined;
  if (isShort) {
    const short = await body.short(bytes);
    await add(short);
    await end();
    return { source: short, sums };
  }

  async function* read(): AsyncGenerator<Buffer> {
    let arrived = 0;
    const raw = body.pieces();
    const trailerNames = given?.isTrailer ? [checksumField(given.algorithm)] : undefined;
    const plain =
      payload.chunks === undefined
        ? raw
        : readAwsChunked(raw, {
            signer: payload.chunks === 'signed' ? call.signer : undefined,
            decodedBytes: bytes,
            trailerNames: payload.hasTrailer ? (trailerNames ?? []) : undefined,
            onTrailer: (_, value) => {
              trailer = value;
            },
          });
    for await (const chunk of plain) {
      arrived += chunk.length;
      if (arrived > maxBytes) throw tooLarge();
      const room = add(chunk);
      if (room !== undefined) await room;
      yield chunk;
    }
    await end(trailer);
  }
  return { source: read(), sums };
}

/** The same of bytes that have no length of their own: the file of a form. */
export async function receiveChunks(
  request: S3Request,
  chunks: AsyncIterable<Buffer>,
  { minBytes, maxBytes }: { readonly minBytes: number; readonly maxBytes: number },
): Promise<ReceivedBody> {
  const { add, end, sums } = await comparison(request, { isShort: false });
  async function* read(): AsyncGenerator<Buffer> {
    let arrived = 0;
    for await (const chunk of chunks) {
      arrived += chunk.length;
      if (arrived > maxBytes) throw new S3Error('EntityTooLarge');
      const room = add(chunk);
      if (room !== undefined) await room;
      yield chunk;
    }
    if (arrived < minBytes) throw new S3Error('EntityTooSmall');
    await end();
  }
  return { source: read(), sums };
}

interface Compared {
  readonly sha256?: string | undefined;
  /** The checksum to compute if the request brings none. */
  readonly asked?: ChecksumAlgorithm | undefined;
  readonly isShort: boolean;
}

/** Compares bytes with what a request says of them. */
async function comparison(request: S3Request, { sha256, asked, isShort }: Compared) {
  const md5 = givenMd5(request);
  const given = givenChecksum(request);
  const algorithm = given?.algorithm ?? asked;
  const computed = await createSums({ algorithm, withSha256: sha256 !== undefined, isShort });
  let found: FoundSums | undefined;
  return {
    given,
    add: computed.add,
    /** `trailer`: the checksum that followed the bytes. Throws an `S3Error` if they are others. */
    async end(trailer = ''): Promise<void> {
      found = await computed.finish();
      if (sha256 !== undefined && found.sha256 !== sha256) throw new S3Error('XAmzContentSHA256Mismatch');
      if (md5 !== undefined && found.sums.md5 !== md5) throw new S3Error('BadDigest');
      if (given === undefined) return;
      const expected = given.isTrailer ? trailer : given.value;
      if (found.sums.checksum?.value !== expected) throw wrongChecksum(given.algorithm);
    },
    sums: () => (found as FoundSums).sums,
  };
}

/** How many bytes the request says that its body has; 0 if it comes in chunks of HTTP and does not say. */
function announcedBytes({ exchange, request, payload }: S3Call): number {
  const decoded = request.field('x-amz-decoded-content-length');
  if (payload.chunks !== undefined) {
    if (decoded === undefined || !/^\d{1,15}$/.test(decoded)) throw new S3Error('MissingContentLength');
    return Number(decoded);
  }
  const isChunked = exchange.headers['transfer-encoding'] !== undefined;
  if (exchange.contentLength === undefined && !isChunked) throw new S3Error('MissingContentLength');
  return exchange.contentLength ?? 0;
}

/** `Content-MD5` in hexadecimal digits. Throws `InvalidDigest`. */
function givenMd5({ field }: S3Request): string | undefined {
  const text = field('content-md5');
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== text.trim()) throw new S3Error('InvalidDigest');
  return bytes.toString('hex');
}

interface GivenChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Empty for one that follows the body. */
  readonly value: string;
  readonly isTrailer: boolean;
}

/** The checksum that the request brings, or announces to follow its body. Throws an `S3Error`. */
export function givenChecksum({ field }: S3Request): GivenChecksum | undefined {
  const trailers = (field('x-amz-trailer') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const found: GivenChecksum[] = [];
  for (const algorithm of checksumAlgorithms) {
    const name = checksumField(algorithm);
    const value = field(name);
    if (value !== undefined) found.push({ algorithm, value, isTrailer: false });
    if (trailers.includes(name)) found.push({ algorithm, value: '', isTrailer: true });
  }
  if (found.length > 1 || trailers.length > 1 || (trailers.length === 1 && found[0]?.isTrailer !== true)) {
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum types are not allowed',
    );
  }
  const named = field('x-amz-sdk-checksum-algorithm');
  if (named !== undefined && found.length === 0) {
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found',
    );
  }
  return found[0];
}

export function wrongChecksum(algorithm: ChecksumAlgorithm): S3Error {
  return new S3Error('BadDigest', `The ${algorithm} you specified did not match what we calculated`);
}
