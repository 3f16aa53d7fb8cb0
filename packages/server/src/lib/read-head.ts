/**
 * Reads the beginning of a stream, from which its reader decides what to do with it: until it ends or there are more than
 * `maxBytes`. Rejects with the error of the stream.
 */
export async function readHead(stream: AsyncIterable<Buffer> | Iterable<Buffer>, maxBytes: number) {
  const source = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isAll = false;
  while (sizeBytes <= maxBytes && !isAll) {
    const next = await source.next();
    if (next.done) isAll = true;
    else {
      chunks.push(next.value);
      sizeBytes += next.value.length;
    }
  }
  return {
    chunks: chunks as readonly Buffer[],
    sizeBytes,
    /** Whether the stream has ended. */
    isAll,
    /** All bytes of the stream. May be called once. */
    async *all(): AsyncGenerator<Buffer> {
      // Nobody keeps a chunk longer than its reader does.
      for (let next = chunks.shift(); next !== undefined; next = chunks.shift()) yield next;
      for (;;) {
        const next = isAll ? undefined : await source.next();
        if (next === undefined || next.done) return;
        yield next.value;
      }
    },
    /** Ends the stream, unless it has ended. */
    async end(): Promise<void> {
      await source.return?.();
    },
  };
}
