/** A small seeded generator (mulberry32), so that a run that found something can be repeated. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(values: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  const int = (below: number) => next() % below;
  return { int, pick: (values) => values[int(values.length)] as never };
}

/** The same bytes for the same seed, so that contents need not be kept for a comparison. */
export function bytesOf(seed: number, size: number): Buffer {
  const block = Buffer.alloc(4096);
  const random = createRandom(seed);
  for (let at = 0; at < block.length; at += 4) block.writeUInt32LE(random.int(0xffffffff), at);
  const bytes = Buffer.alloc(size, block);
  // Each block differs from its neighbours, so that a block in the wrong place is noticed.
  for (let at = 0; at < size; at += block.length) bytes[at] = (at / block.length) & 0xff;
  return bytes;
}
