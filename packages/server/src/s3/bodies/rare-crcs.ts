/**
 * CRC-32C and CRC-64/NVME, which Node does not have. Eight bytes are read at a time, with a table for each, and a CRC is
 * two halves of 32 bits. The package of AWS that has them brings 12 MB of others.
 */
interface Crc {
  /** The polynomial, its lowest bit first. */
  readonly polynomial: readonly [high: number, low: number];
  readonly bits: 32 | 64;
}

const crcs = {
  CRC32C: { polynomial: [0, 0x82f63b78], bits: 32 },
  CRC64NVME: { polynomial: [0x9a6c9329, 0xac4bc9b5], bits: 64 },
} as const satisfies Record<string, Crc>;

/** Of each byte, what it adds to a CRC when up to seven others follow: 8 tables of 256 numbers for each half. */
interface Tables {
  readonly high: readonly Uint32Array[];
  readonly low: readonly Uint32Array[];
}

const tables = new Map<Crc, Tables>();

/** The CRC of bytes that are added one after the other. */
export interface RareCrc {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

export function createRareCrc(name: keyof typeof crcs): RareCrc {
  const crc: Crc = crcs[name];
  const { high, low } = tablesOf(crc);
  const [h0, h1, h2, h3, h4, h5, h6, h7] = high as Eight;
  const [l0, l1, l2, l3, l4, l5, l6, l7] = low as Eight;
  let hi = crc.bits === 64 ? -1 : 0;
  let lo = -1;

  return {
    update(bytes) {
      let [h, l] = [hi, lo];
      let at = 0;
      const end = bytes.length - 7;
      // The same without the high half, which is 0: twice as fast.
      for (; crc.bits === 32 && at < end; at += 8) {
        const low = l7[(l ^ bytes[at]!) & 255]! ^ l6[((l >>> 8) ^ bytes[at + 1]!) & 255]!;
        const next = l5[((l >>> 16) ^ bytes[at + 2]!) & 255]! ^ l4[(l >>> 24) ^ bytes[at + 3]!]!;
        const second = l3[bytes[at + 4]!]! ^ l2[bytes[at + 5]!]! ^ l1[bytes[at + 6]!]! ^ l0[bytes[at + 7]!]!;
        l = low ^ next ^ second;
      }
      for (; at < end; at += 8) {
        const a = (l ^ bytes[at]!) & 255;
        const b = ((l >>> 8) ^ bytes[at + 1]!) & 255;
        const c = ((l >>> 16) ^ bytes[at + 2]!) & 255;
        const d = (l >>> 24) ^ bytes[at + 3]!;
        const e = (h ^ bytes[at + 4]!) & 255;
        const f = ((h >>> 8) ^ bytes[at + 5]!) & 255;
        const g = ((h >>> 16) ^ bytes[at + 6]!) & 255;
        const i = (h >>> 24) ^ bytes[at + 7]!;
        h = h7[a]! ^ h6[b]! ^ h5[c]! ^ h4[d]! ^ h3[e]! ^ h2[f]! ^ h1[g]! ^ h0[i]!;
        l = l7[a]! ^ l6[b]! ^ l5[c]! ^ l4[d]! ^ l3[e]! ^ l2[f]! ^ l1[g]! ^ l0[i]!;
      }
      for (; at < bytes.length; at++) {
        const n = (l ^ bytes[at]!) & 255;
        l = ((l >>> 8) | (h << 24)) ^ l0[n]!;
        h = (h >>> 8) ^ h0[n]!;
      }
      [hi, lo] = [h, l];
    },
    digest() {
      const sum = Buffer.alloc(8);
      sum.writeInt32BE(~hi, 0);
      sum.writeInt32BE(~lo, 4);
      return sum.subarray(8 - crc.bits / 8);
    },
  };
}

type Eight = readonly [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
];

function tablesOf(crc: Crc): Tables {
  const known = tables.get(crc);
  if (known !== undefined) return known;
  const made = makeTables(crc);
  tables.set(crc, made);
  return made;
}

function makeTables({ polynomial: [high, low] }: Crc): Tables {
  const made = { high: eight(), low: eight() };
  for (let byte = 0; byte < 256; byte++) {
    let [h, l] = [0, byte];
    for (let n = 0; n < 8; n++) {
      for (let bit = 0; bit < 8; bit++) {
        const isSet = (l & 1) === 1;
        l = (l >>> 1) | (h << 31);
        h >>>= 1;
        if (isSet) {
          h ^= high;
          l ^= low;
        }
      }
      made.high[n]![byte] = h;
      made.low[n]![byte] = l;
    }
  }
  return made;
}

function eight(): Uint32Array[] {
  return Array.from({ length: 8 }, () => new Uint32Array(256));
}
