/** Reads values by their keys, those that have one. */
export type ReadMany = (keys: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;

interface Waiting {
  readonly key: string;
  readonly resolve: (value: Buffer | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/** So many reads may be under way; who comes while they are waits, and then goes with all who wait. */
const atOnce = 2;
const maxKeys = 256;

/**
 * Makes one question of those that come while others are under way: over a network a question costs far more than
 * what it asks for. Each is asked after its caller came, so nobody is given what was true before.
 */
export function createCoalescedReads(readMany: ReadMany): (key: string) => Promise<Buffer | undefined> {
  let waiting: Waiting[] = [];
  let running = 0;

  async function run(): Promise<void> {
    running++;
    // The rest of this tick's callers go with the first.
    await undefined;
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const values = await readMany([...new Set(group.map(({ key }) => key))]);
        for (const { key, resolve } of group) resolve(values.get(key));
      } catch (cause) {
        for (const { reject } of group) reject(cause);
      }
    }
    running--;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running < atOnce) void run();
    });
}
