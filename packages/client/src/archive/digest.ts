import { createHash } from 'node:crypto';

/** What was written or read: its size in bytes, and its SHA-256 as 64 hexadecimal digits. */
export interface Digest {
  readonly size: number;
  readonly sha256: string;
}

/** Computes the digest of the chunks that pass through it. */
export function createDigest() {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async *through(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    /** The digest of everything so far. Call it once, at the end. */
    end: () => ({ size, sha256: hash.digest('hex') }),
  };
}

/** Reads everything and gives its digest. */
export async function digestOf(chunks: AsyncIterable<Buffer>): Promise<Digest> {
  const digest = createDigest();
  for await (const _ of digest.through(chunks));
  return digest.end();
}
