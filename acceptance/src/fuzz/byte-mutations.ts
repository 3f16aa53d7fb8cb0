import type { Random } from '../random.js';

const delimiters = [0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x2c, 0x2f, 0x3a, 0x5b, 0x7b, 0x7f, 0x80, 0xff];

/** The bytes with one to four mutations: a part is replaced, removed, inserted, doubled or moved. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let count = 1 + random.int(4); count > 0; count--) mutated = mutateOnce(random, mutated);
  return mutated;
}

function mutateOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  const to = Math.min(bytes.length, at + 1 + random.int(8));
  const [before, some, rest] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  const byte = Buffer.from([random.int(2) === 0 ? random.pick(delimiters) : random.int(256)]);
  switch (random.int(5)) {
    case 0:
      return Buffer.concat([before, byte, bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, rest]);
    case 2:
      return Buffer.concat([before, byte, some, rest]);
    case 3:
      return Buffer.concat([before, some, some, rest]);
    default:
      return Buffer.concat([rest.subarray(0, 8), before, some, rest.subarray(8)]);
  }
}
