/** Reads values by their keys. Keys without a value are missing in the result. */
export type ReadMany = (keys: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;

interface Waiting {
  readonly key: string;
  readonly resolve: (value: Buffer | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/** How many batches may be in progress. A read that arrives in the meantime waits and shares the next batch. */
const maxBatches = 2;
const maxKeys = 256;

/**
 * Sends the reads that arrive while others are in progress as one batch, because a round trip costs far more than the
 * rows that it reads. A batch is sent after all its callers have asked, so no caller gets a value that was replaced
 * before it asked.
 */
export function createBatchedReads(readMany: ReadMany): (key: string) => Promise<Buffer | undefined> {
  let waiting: Waiting[] = [];
  let running = 0;

  async function run(): Promise<void> {
    running++;
    // The other callers of this tick share the first batch.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const values = await readMany([...new Set(batch.map(({ key }) => key))]);
        for (const { key, resolve } of batch) resolve(values.get(key));
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    running--;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running < maxBatches) void run();
    });
}
