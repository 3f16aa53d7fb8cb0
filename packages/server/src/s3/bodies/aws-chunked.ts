import { createHash, type Hash } from 'node:crypto';
import { giveBack } from '../../lib/block-pool.js';
import { S3Error } from '../errors.js';
import type { Authorization } from '../signature/authorization.js';
import { isSame } from '../signature/check-signature.js';
import { emptySha256, type SigningKey, sha256Of } from '../signature/signing-key.js';

/** What signs the chunks of a body. */
export interface ChunkSigner {
  readonly key: SigningKey;
  readonly authorization: Pick<Authorization, 'signature' | 'timestamp' | 'scope'>;
}

export interface AwsChunkedOptions {
  /** Undefined if the chunks are not signed. */
  readonly signer: ChunkSigner | undefined;
  /** The bytes of the body without its chunks: `x-amz-decoded-content-length`. */
  readonly decodedBytes: number;
  /** The names that `x-amz-trailer` announces, in lower case. Undefined: there is no trailer. */
  readonly trailerNames: readonly string[] | undefined;
  /** Is given each trailer, before the last bytes are. */
  readonly onTrailer: (name: string, value: string) => void;
}

const maxLineBytes = 1024;
const maxTrailerLines = 10;
const lineFeed = 0x0a;
const signatureTrailer = 'x-amz-trailer-signature';

/**
 * Gives the bytes of a body in `aws-chunked`:
 *
 *   {size in hex}[;chunk-signature={64 digits}]\r\n {bytes}\r\n … 0[;chunk-signature=…]\r\n [{trailer}:{value}\r\n …] \r\n
 *
 * The signature of each chunk is over the one before it, that of the request for the first; that of the trailer over
 * the one of the last chunk. All of them are compared before this ends. Throws an `S3Error`.
 */
export async function* readAwsChunked(
  body: AsyncIterable<Buffer>,
  options: AwsChunkedOptions,
): AsyncGenerator<Buffer> {
  const decoder = new AwsChunkedDecoder(options);
  for await (const input of body) {
    const given = joinedInPlace(decoder.decode(input), input);
    giveBack(input, input.length - given.length);
    if (given.length > 0) yield given;
  }
  decoder.end();
}

/** Parts of these bytes, one after the other, in their own memory. */
function joinedInPlace(parts: readonly Buffer[], bytes: Buffer): Buffer {
  if (parts.length === 1) return parts[0] as Buffer;
  let size = 0;
  for (const part of parts) size += part.copy(bytes, size);
  return bytes.subarray(0, size);
}

type State = 'size' | 'bytes' | 'after bytes' | 'trailer' | 'done';

class AwsChunkedDecoder {
  private state: State = 'size';
  /** The beginning of a line whose end has not arrived. */
  private line = '';
  private left = 0;
  private givenBytes = 0;
  private hash: Hash | undefined;
  private chunkSignature = '';
  private signature: string;
  private readonly trailers: (readonly [name: string, value: string])[] = [];
  private trailerSignature: string | undefined;

  constructor(private readonly options: AwsChunkedOptions) {
    this.signature = options.signer?.authorization.signature ?? '';
  }

  decode(input: Buffer): readonly Buffer[] {
    const given: Buffer[] = [];
    for (let at = 0; at < input.length; ) {
      if (this.state === 'done') throw new S3Error('IncompleteBody', 'There are bytes after the last chunk');
      if (this.state === 'bytes') {
        const bytes = input.subarray(at, at + this.left);
        at += bytes.length;
        this.left -= bytes.length;
        this.givenBytes += bytes.length;
        this.hash?.update(bytes);
        given.push(bytes);
        if (this.left === 0) this.state = 'after bytes';
        continue;
      }
      const end = input.indexOf(lineFeed, at);
      const part = input.toString('latin1', at, end === -1 ? input.length : end);
      if (this.line.length + part.length > maxLineBytes) throw broken();
      this.line += part;
      at += part.length + 1;
      if (end === -1) break;
      if (!this.line.endsWith('\r')) throw broken();
      const line = this.line.slice(0, -1);
      this.line = '';
      this.takeLine(line);
    }
    return given;
  }

  end(): void {
    if (this.state !== 'done') throw new S3Error('IncompleteBody');
  }

  private takeLine(line: string): void {
    if (this.state === 'size') this.beginChunk(line);
    else if (this.state === 'trailer') this.takeTrailer(line);
    else {
      if (line !== '') throw broken();
      this.endChunk();
      this.state = 'size';
    }
  }

  private beginChunk(line: string): void {
    const { signer, decodedBytes } = this.options;
    const [, size = '', signature] =
      /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? [];
    if (size === '' || (signature === undefined) !== (signer === undefined)) throw broken();
    this.left = Number.parseInt(size, 16);
    if (this.givenBytes + this.left > decodedBytes) throw wrongLength();
    this.chunkSignature = signature ?? '';
    this.hash = signer && createHash('sha256');
    if (this.left > 0) {
      this.state = 'bytes';
      return;
    }
    if (this.givenBytes !== decodedBytes) throw wrongLength();
    this.endChunk();
    this.state = 'trailer';
  }

  private endChunk(): void {
    const { signer } = this.options;
    if (signer === undefined || this.hash === undefined) return;
    const expected = this.sign('AWS4-HMAC-SHA256-PAYLOAD', `${emptySha256}\n${this.hash.digest('hex')}`);
    if (!isSame(expected, this.chunkSignature)) throw new S3Error('SignatureDoesNotMatch');
    this.signature = expected;
  }

  private takeTrailer(line: string): void {
    if (line === '') {
      this.endTrailer();
      this.state = 'done';
      return;
    }
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    const { trailerNames = [], signer } = this.options;
    if (at === -1 || this.trailers.length >= maxTrailerLines) throw badTrailer();
    if (name === signatureTrailer && signer !== undefined && this.trailerSignature === undefined) {
      this.trailerSignature = value;
      return;
    }
    const isKnown = trailerNames.includes(name) && !this.trailers.some(([given]) => given === name);
    if (!isKnown || this.trailerSignature !== undefined) throw badTrailer();
    this.trailers.push([name, value]);
  }

  private endTrailer(): void {
    const { trailerNames, signer, onTrailer } = this.options;
    if (this.trailers.length !== (trailerNames?.length ?? 0)) throw badTrailer();
    if (signer !== undefined && trailerNames !== undefined) {
      const lines = this.trailers.map(([name, value]) => `${name}:${value}\n`).sort();
      const expected = this.sign('AWS4-HMAC-SHA256-TRAILER', sha256Of(lines.join('')));
      if (!isSame(expected, this.trailerSignature ?? '')) throw new S3Error('SignatureDoesNotMatch');
    } else if (this.trailerSignature !== undefined) throw badTrailer();
    for (const [name, value] of this.trailers) onTrailer(name, value);
  }

  private sign(kind: string, hashes: string): string {
    const { key, authorization } = this.options.signer as ChunkSigner;
    const text = [kind, authorization.timestamp, authorization.scope.text, this.signature, hashes].join('\n');
    return key.sign(text);
  }
}

function broken(): S3Error {
  return new S3Error('IncompleteBody', 'The chunks of the body are not well-formed');
}

function wrongLength(): S3Error {
  return new S3Error('IncompleteBody', 'The body has not as many bytes as x-amz-decoded-content-length says');
}

function badTrailer(): S3Error {
  return new S3Error('MalformedTrailerError');
}
