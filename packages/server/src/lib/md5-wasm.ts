/**
 * Assembles the WebAssembly with which MD5s are computed side by side. MD5 is a chain of 64 steps in which each waits for
 * the one before, so one sum leaves most of a core unused. A vector has the same step of four sums, and a second
 * vector is worked on while the first one waits. 10 MiB take 16.5 ms in OpenSSL, and 4.2 ms each if there are eight.
 *
 * The memory: of each group of four lanes the state, word by word, each with its four lanes; from `dataAt` on the bytes of
 * each lane. `hash{lanes}(blocks)` takes this many blocks of 64 bytes of each lane into the states.
 */

const laneCounts = [1, 4, 8] as const;
export const maxLanes = 8;
/** This many bytes of a lane are hashed at once: those of all lanes stay in the cache of a core. */
export const laneBytes = 16 * 1024;
export const dataAt = 64 * 1024;

/** Where a word of the state of a lane is. */
export const stateAt = (lane: number, word: number) => ((lane >> 2) * 4 + word) * 16 + (lane & 3) * 4;

type Code = readonly number[];

/** The instructions for one lane, or for a vector of four. */
interface Kind {
  readonly type: number;
  readonly load: Code;
  readonly store: Code;
  readonly and: Code;
  readonly or: Code;
  readonly xor: Code;
  readonly add: Code;
  /** The first without the bits of the second. */
  readonly without: Code;
  constant(value: number): Code;
  /** Rotates `value` to the left. */
  rotate(value: Code, bits: number, local: number): Code;
}

const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
function signed(value: number): number[] {
  const byte = value & 127;
  const rest = value >> 7;
  const isLast = (rest === 0 && byte < 64) || (rest === -1 && byte >= 64);
  return isLast ? [byte] : [byte | 128, ...signed(rest)];
}
const simd = (instruction: number): Code => [0xfd, ...unsigned(instruction)];
const get = (local: number): Code => [0x20, ...unsigned(local)];
const set = (local: number): Code => [0x21, ...unsigned(local)];
const tee = (local: number): Code => [0x22, ...unsigned(local)];
const integer = (value: number): Code => [0x41, ...signed(value)];
const littleEndian = (value: number): Code => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);

const single: Kind = {
  type: 0x7f,
  load: [0x28, 2],
  store: [0x36, 2],
  and: [0x71],
  or: [0x72],
  xor: [0x73],
  add: [0x6a],
  without: [...integer(-1), 0x73, 0x71],
  constant: (value) => integer(value | 0),
  rotate: (value, bits) => [...value, ...integer(bits), 0x77],
};
const vector: Kind = {
  type: 0x7b,
  load: [...simd(0), 4],
  store: [...simd(11), 4],
  and: simd(0x4e),
  or: simd(0x50),
  xor: simd(0x51),
  add: simd(0xae),
  without: simd(0x4f),
  constant: (value) => [...simd(12), ...[1, 2, 3, 4].flatMap(() => littleEndian(value))],
  rotate: (value, bits, local) => [
    ...[...value, ...tee(local), ...integer(bits), ...simd(0xab)],
    ...[...get(local), ...integer(32 - bits), ...simd(0xad), ...simd(0x50)],
  ],
};

const shifts = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
const sines = Array.from({ length: 64 }, (_, n) => Math.floor(Math.abs(Math.sin(n + 1)) * 2 ** 32));
const quarters = [0, 1, 2, 3] as const;

/** The locals of a group of lanes: its state, the words of a block, the state before it or what is being transposed. */
function localsOf(group: number) {
  const first = 2 + group * 25;
  const at = (from: number) => (n: number) => first + from + n;
  return { state: at(0), word: at(4), spare: at(20), rotated: first + 24 };
}

/** Loads a block of each lane of a group, at the pointer in local 1, so that each local has one word of all its lanes. */
function loadBlock(group: number): Code {
  const { word, spare } = localsOf(group);
  const mixed = (a: number, b: number, picked: readonly number[]): Code => {
    const bytes = picked.flatMap((n) => [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]);
    return [...get(a), ...get(b), ...simd(13), ...bytes];
  };
  return quarters.flatMap((quarter) => {
    const at = (lane: number) => unsigned((group * 4 + lane) * laneBytes + quarter * 16);
    const w = (n: number) => word(quarter * 4 + n);
    return [
      ...quarters.flatMap((lane) => [...get(1), ...vector.load, ...at(lane), ...set(spare(lane))]),
      // The words 0 of lanes 0 and 1, then their words 1; the same of lanes 2 and 3; then the words 2 and 3.
      ...[...mixed(spare(0), spare(1), [0, 4, 1, 5]), ...set(w(0))],
      ...[...mixed(spare(2), spare(3), [0, 4, 1, 5]), ...set(w(1))],
      ...[...mixed(spare(0), spare(1), [2, 6, 3, 7]), ...set(w(2))],
      ...[...mixed(spare(2), spare(3), [2, 6, 3, 7]), ...set(w(3))],
      ...[0, 2].flatMap((n) => [
        ...mixed(w(n), w(n + 1), [0, 1, 4, 5]),
        ...[...mixed(w(n), w(n + 1), [2, 3, 6, 7]), ...set(w(n + 1)), ...set(w(n))],
      ]),
    ];
  });
}

/** One of the 64 steps (RFC 1321, 3.4). The words of the state change their places with each. */
function step(kind: Kind, group: number, n: number): Code {
  const { state, word, rotated } = localsOf(group);
  const round = n >> 4;
  const [a, b, c, d] = quarters.map((place) => state((place + 64 - n) % 4)) as [
    number,
    number,
    number,
    number,
  ];
  const { and, or, xor, add } = kind;
  // `b` is the word that the step before has made: what does not need it comes first.
  const f = [
    () => [...get(d), ...get(b), ...get(c), ...get(d), ...xor, ...and, ...xor, ...add],
    () => [...get(c), ...get(d), ...kind.without, ...add, ...get(b), ...get(d), ...and, ...add],
    () => [...get(b), ...get(c), ...get(d), ...xor, ...xor, ...add],
    () => [...get(c), ...get(b), ...get(d), ...kind.constant(-1), ...xor, ...or, ...xor, ...add],
  ][round]!();
  const index = [n, 5 * n + 1, 3 * n + 5, 7 * n][round]! % 16;
  const given = kind === single ? [...get(1), ...kind.load, ...unsigned(index * 4)] : get(word(index));
  const sum = [...get(a), ...given, ...kind.constant(sines[n]!), ...add, ...add, ...f];
  return [...kind.rotate(sum, shifts[round]![n % 4]!, rotated), ...get(b), ...add, ...set(a)];
}

function hashOf(lanes: number): Code {
  const kind = lanes === 1 ? single : vector;
  const groups = Array.from({ length: Math.ceil(lanes / 4) }, (_, n) => n);
  const each = (code: (group: number, word: number) => Code) =>
    groups.flatMap((group) => quarters.flatMap((n) => code(group, n)));
  const state = (group: number, n: number) => localsOf(group).state(n);
  const spare = (group: number, n: number) => localsOf(group).spare(n);
  const address = (group: number, n: number) => unsigned(stateAt(group * 4, n));
  const code = [
    ...each((g, n) => [...integer(0), ...kind.load, ...address(g, n), ...set(state(g, n))]),
    ...[...integer(dataAt), ...set(1)],
    ...[0x03, 0x40],
    ...(kind === vector ? groups.flatMap((group) => loadBlock(group)) : []),
    ...each((g, n) => [...get(state(g, n)), ...set(spare(g, n))]),
    // The groups in turns: while the step of one waits, that of the other goes on.
    ...sines.flatMap((_, n) => groups.flatMap((group) => step(kind, group, n))),
    ...each((g, n) => [...get(state(g, n)), ...get(spare(g, n)), ...kind.add, ...set(state(g, n))]),
    ...[...get(1), ...integer(64), 0x6a, ...set(1)],
    // Again, unless that was the last block.
    ...[...get(0), ...integer(1), 0x6b, ...tee(0), 0x0d, 0, 0x0b],
    ...each((g, n) => [...integer(0), ...get(state(g, n)), ...kind.store, ...address(g, n)]),
  ];
  const locals = [2, 1, 0x7f, ...unsigned(groups.length * 25), kind.type];
  const body = [...locals, ...code, 0x0b];
  return [...unsigned(body.length), ...body];
}

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const named = (name: string, kind: number, index: number): Code => [
  name.length,
  ...Buffer.from(name),
  kind,
  index,
];

/** The module: it exports `memory`, and `hash1`, `hash4` and `hash8`. */
export function assembleMd5(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((dataAt + maxLanes * laneBytes) / 65536);
  const functions = laneCounts.flatMap((lanes, n) => named(`hash${lanes}`, 0, n));
  return Uint8Array.from([
    ...[...Buffer.from('\0asm'), 1, 0, 0, 0],
    // One type: it takes an integer and gives nothing.
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    ...section(3, [laneCounts.length, ...laneCounts.map(() => 0)]),
    ...section(5, [1, 0, pages]),
    ...section(7, [laneCounts.length + 1, ...functions, ...named('memory', 2, 0)]),
    ...section(10, [laneCounts.length, ...laneCounts.flatMap(hashOf)]),
  ]);
}
