/** Like `Promise.all`, but rejects only when all have ended, so that nothing continues unseen after the failure. */
export async function allSettledOrThrow<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
  return await Promise.all(promises);
}
