/** A body that is there as a whole, in the form in which it goes out fastest. */
export interface BufferedBody {
  readonly bytes: string | Buffer;
  /** Of `bytes`, when it is a string. */
  readonly encoding: 'utf8' | 'latin1';
  readonly size: number;
}

/**
 * A string goes out in one call with its head; a buffer is a second piece, gathered by the kernel: 3 µs more, a sixth
 * of a small answer. What is larger than Node's buffer for strings is not faster so.
 */
const maxJoinedBytes = 12 * 1024;

export function bufferedBody(body: string | Buffer): BufferedBody {
  if (typeof body === 'string') {
    const size = Buffer.byteLength(body);
    // As many bytes as characters: all of it is ASCII, and goes the shorter way.
    return { bytes: body, encoding: size === body.length ? 'latin1' : 'utf8', size };
  }
  const size = body.length;
  return { bytes: size > maxJoinedBytes ? body : body.toString('latin1'), encoding: 'latin1', size };
}
