/** Functions that close what was opened, in the order in which it was opened. */
export type Closers = (() => Promise<void> | void)[];

/** Calls them in reverse order, also after one has failed. Rejects with an `AggregateError` of the failures. */
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
