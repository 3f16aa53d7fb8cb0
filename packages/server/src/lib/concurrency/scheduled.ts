/** Decides when a batch is read, because the server also serves other requests. */
export type Schedule = <T>(read: () => Promise<T>) => Promise<T>;

/** Gives the same batches, and reads each of them when the schedule allows it. */
export async function* scheduled<T>(batches: AsyncIterable<T>, schedule: Schedule): AsyncGenerator<T> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await schedule(() => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
