/** Fewer than a browser sends to one host at a time, so that others need not wait for all of them. */
const atOnce = 4;

/**
 * Does the work for each of the values, several at a time, and gives the results in the order of the values. Rejects with
 * the first failure, after which no more is begun.
 */
export async function sideBySide<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...values.entries()];
  async function inTurn(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, value] = next;
      try {
        results[at] = await work(value);
      } catch (cause) {
        waiting.length = 0;
        throw cause;
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, inTurn));
  return results;
}
