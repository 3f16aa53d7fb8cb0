/** What was opened, to be closed in the opposite order. */
export type Closers = (() => Promise<void> | void)[];

/** Closes all, also after one has failed. Rejects with an `AggregateError` of the failures. */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (cause) {
      failures.push(cause);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed');
}
