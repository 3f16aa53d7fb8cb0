/**
 * Works on at most `atOnce` values at a time, and gives the results in the order of the values. `work` is called in
 * that order, too. After a failure it begins nothing more, waits for what it has begun, and throws.
 */
export async function* mapInOrder<T, R>(
  values: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  work: (value: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const begun: Promise<R>[] = [];
  try {
    for await (const value of values) {
      const result = work(value);
      // Its failure is thrown when its turn comes.
      result.catch(() => {});
      begun.push(result);
      if (begun.length >= atOnce) yield await (begun.shift() as Promise<R>);
    }
    for (const result of begun) yield await result;
  } finally {
    await Promise.allSettled(begun);
  }
}
