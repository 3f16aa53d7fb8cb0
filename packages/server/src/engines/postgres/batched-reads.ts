/** Values by their keys. Keys without a value are missing. */
type Values = ReadonlyMap<string, Buffer>;

/** Reads values by their keys. */
export interface ReadMany {
  all(keys: readonly string[]): Promise<Values>;
  /** Those of up to `smallBytes`, and what others there are. */
  small(
    keys: readonly string[],
    smallBytes: number,
  ): Promise<{ readonly rows: Values; readonly large: { has(key: string): boolean } }>;
}

/** How many batches may be in progress, of values of any size and of large ones. */
const maxBatches = 2;
const maxKeys = 256;
/**
 * More values are read together only if they are small: 256 items of 400 KB would take 200 MB, because the driver has a value
 * as text with two digits for each byte. In a container of 256 MiB, parallel GETs ended the server.
 */
const maxLargeKeys = 4;
const smallBytes = 8 * 1024;

/** There is a value, and it is large. */
const large = Symbol('large');

/**
 * Sends the reads that arrive while others are in progress as one batch, because a round trip costs far more than the
 * rows that it reads. A batch is sent after all its callers have asked, so no caller gets a value that was replaced
 * before it asked. Large values are read in batches of their own, for which small ones need not wait.
 */
export function createBatchedReads(read: ReadMany): (key: string) => Promise<Buffer | undefined> {
  const readLarge = createBatches<Buffer | undefined>(maxLargeKeys, async (keys) => {
    const values = await read.all(keys);
    return (key) => values.get(key);
  });
  const readAny = createBatches<Buffer | typeof large | undefined>(maxKeys, async (keys) => {
    if (keys.length <= maxLargeKeys) {
      const values = await read.all(keys);
      return (key) => values.get(key);
    }
    const found = await read.small(keys, smallBytes);
    return (key) => (found.large.has(key) ? large : found.rows.get(key));
  });
  return async (key) => {
    const value = await readAny(key);
    return value === large ? await readLarge(key) : value;
  };
}

interface Waiting<Value> {
  readonly key: string;
  readonly resolve: (value: Value) => void;
  readonly reject: (cause: unknown) => void;
}

/** Calls `readBatch` with up to `most` keys that were asked for, and gives each caller its value. */
function createBatches<Value>(
  most: number,
  readBatch: (keys: readonly string[]) => Promise<(key: string) => Value>,
): (key: string) => Promise<Value> {
  let waiting: Waiting<Value>[] = [];
  let running = 0;

  async function run(): Promise<void> {
    running++;
    // The other callers of this tick share the first batch.
    await undefined;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const valueAt = await readBatch([...new Set(batch.map(({ key }) => key))]);
        for (const { key, resolve } of batch) resolve(valueAt(key));
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
