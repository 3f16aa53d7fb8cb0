/**
 * A body that holds something until it was read, was stopped, failed, or is known not to be read (`return()`
 * before the first chunk: a generator would not notice that one). Nothing is opened before it is read.
 */
export function leasedBody(read: () => AsyncIterable<Buffer>, release: () => void): AsyncIterable<Buffer> {
  return {
    [Symbol.asyncIterator]() {
      let chunks: AsyncIterator<Buffer> | undefined;
      let over = false;

      async function next(): Promise<IteratorResult<Buffer>> {
        if (over) return { done: true, value: undefined };
        try {
          chunks ??= read()[Symbol.asyncIterator]();
          const result = await chunks.next();
          if (result.done) end();
          return result;
        } catch (cause) {
          end();
          throw cause;
        }
      }

      function end(): void {
        over = true;
        release();
      }

      return {
        next,
        async return() {
          over = true;
          try {
            await chunks?.return?.();
          } finally {
            release();
          }
          return { done: true, value: undefined };
        },
      };
    },
  };
}
