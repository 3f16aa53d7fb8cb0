import { createHash } from 'node:crypto';
import { giveBack, lend } from './block-pool.js';
import { assembleMd5, dataAt, laneBytes, maxLanes, stateAt } from './md5-wasm.js';

/** Computes the MD5 of bytes that arrive piece by piece. */
export interface Md5 {
  /**
   * The bytes are hashed later, and must stay as they are until then. Gives a promise if so many wait that no more should
   * be added before it resolves.
   */
  add(bytes: Buffer): Promise<void> | undefined;
  digest(): Promise<Buffer>;
}

/** What is used of it: the types of Node do not have it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface Lanes {
  readonly memory: Buffer;
  readonly hash: (lanes: number, blocks: number) => void;
}

/** One of the sums that are computed side by side. */
interface Sum {
  /** Four words, the low byte of each first. */
  readonly state: Buffer;
  readonly pieces: Buffer[];
  /** How much of the first piece is hashed. */
  at: number;
  waitingBytes: number;
  onProgress: (() => void) | undefined;
}

const blockBytes = 64;
/** More than this of a sum should not wait. */
const maxWaitingBytes = 512 * 1024;
/** This many bytes are hashed in a turn of the event loop: 0.2 to 0.6 ms. */
const turnBytes = 256 * 1024;
const initialState = Buffer.from('0123456789abcdeffedcba9876543210', 'hex');

/** `null`: this processor has no vectors for it. */
let lanes: Lanes | null | undefined;
/** The sums with a block or more to hash, those first that have waited longest. */
const waiting = new Set<Sum>();
let isScheduled = false;

/** An MD5 of many bytes: it is computed together with those of the other bodies that arrive at the moment. */
export function createMd5(): Md5 {
  lanes ??= openLanes();
  return lanes === null ? createShortMd5() : together();
}

/** An MD5 of few bytes, which are hashed at once. */
export function createShortMd5(): Md5 {
  const hash = createHash('md5');
  return {
    add(bytes) {
      hash.update(bytes);
      return undefined;
    },
    digest: async () => hash.digest(),
  };
}

function together(): Md5 {
  const sum: Sum = {
    state: Buffer.from(initialState),
    pieces: [],
    at: 0,
    waitingBytes: 0,
    onProgress: undefined,
  };
  let sizeBytes = 0;

  function put(bytes: Buffer): void {
    sum.pieces.push(lend(bytes));
    sum.waitingBytes += bytes.length;
    if (sum.waitingBytes >= blockBytes) waiting.add(sum);
    schedule();
  }

  const until = async (mostBytes: number) => {
    while (sum.waitingBytes > mostBytes) {
      await new Promise<void>((resolve) => {
        sum.onProgress = resolve;
      });
    }
  };

  return {
    add(bytes) {
      sizeBytes += bytes.length;
      if (bytes.length > 0) put(bytes);
      return sum.waitingBytes > maxWaitingBytes ? until(maxWaitingBytes / 2) : undefined;
    },
    async digest() {
      put(paddingOf(sizeBytes));
      await until(0);
      return sum.state;
    },
  };
}

/** What follows the bytes: a bit, and their number of bits at the end of a block (RFC 1321, 3.1 and 3.2). */
function paddingOf(sizeBytes: number): Buffer {
  const padding = Buffer.alloc(blockBytes - ((sizeBytes + 8) % blockBytes) + 8);
  padding[0] = 0x80;
  padding.writeBigUInt64LE(BigInt(sizeBytes) * 8n, padding.length - 8);
  return padding;
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  setImmediate(hashWaiting);
}

function hashWaiting(): void {
  isScheduled = false;
  for (let left = turnBytes; left > 0 && waiting.size > 0; ) {
    const sums = [...waiting].slice(0, maxLanes);
    left -= sums.length * hashNext(lanes as Lanes, sums);
  }
  schedule();
}

/** Hashes as many bytes of each sum as all of them have. Gives their number. */
function hashNext({ memory, hash }: Lanes, sums: readonly Sum[]): number {
  const least = Math.min(laneBytes, ...sums.map(({ waitingBytes }) => waitingBytes));
  const bytes = least - (least % blockBytes);
  for (const [lane, sum] of sums.entries()) {
    moveTo(memory.subarray(dataAt + lane * laneBytes), sum, bytes);
    for (let word = 0; word < 4; word++) sum.state.copy(memory, stateAt(lane, word), word * 4, word * 4 + 4);
  }
  hash(sums.length, bytes / blockBytes);
  for (const [lane, sum] of sums.entries()) {
    for (let word = 0; word < 4; word++) {
      const at = stateAt(lane, word);
      memory.copy(sum.state, word * 4, at, at + 4);
    }
    waiting.delete(sum);
    // Those that have waited longer come first.
    if (sum.waitingBytes >= blockBytes) waiting.add(sum);
    sum.onProgress?.();
  }
  return bytes;
}

function moveTo(memory: Buffer, sum: Sum, bytes: number): void {
  const { pieces } = sum;
  sum.waitingBytes -= bytes;
  for (let moved = 0; moved < bytes; ) {
    const piece = pieces[0] as Buffer;
    const copied = piece.copy(memory, moved, sum.at, Math.min(piece.length, sum.at + bytes - moved));
    moved += copied;
    sum.at += copied;
    if (sum.at < piece.length) return;
    pieces.shift();
    sum.at = 0;
    giveBack(piece);
  }
}

function openLanes(): Lanes | null {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(assembleMd5()));
    const { memory, hash1, hash4, hash8 } = exports as {
      readonly memory: { readonly buffer: ArrayBuffer };
    } & Readonly<Record<'hash1' | 'hash4' | 'hash8', (blocks: number) => void>>;
    const hash = (sums: number, blocks: number) => {
      if (sums === 1) hash1(blocks);
      else if (sums <= 4) hash4(blocks);
      else hash8(blocks);
    };
    return { memory: Buffer.from(memory.buffer), hash };
  } catch {
    return null;
  }
}
