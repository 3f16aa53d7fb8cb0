/** The size of a block: that of the parts of a blob that have a checksum each. */
export const blockBytes = 256 * 1024;
/** The size of the first block of a body, because little may follow. */
export const firstBlockBytes = 64 * 1024;

/** Unused blocks are kept for the next bodies, until no block was taken or given back for this long. */
const idleMs = 2000;
const free = new Map<number, Buffer[]>([
  [blockBytes, []],
  [firstBlockBytes, []],
]);
/** How many bytes of each block are in use. */
const usedBytes = new WeakMap<ArrayBufferLike, number>();
let timer: NodeJS.Timeout | undefined;

/**
 * Memory into which large bodies are read, again and again. New memory for every 64 KiB took a seventh of the event loop's
 * time in uploads: the garbage collector finds it late, and the system clears it. Whoever fills a block passes its
 * bytes on with `lend`, and whoever has used them up may call `giveBack`. The block is used again once all of them
 * are back. What nobody gives back is left to the garbage collector.
 */
export function takeBlock(size: typeof blockBytes | typeof firstBlockBytes): Buffer {
  const block = free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
  usedBytes.set(block.buffer, 0);
  if (timer === undefined) timer = setTimeout(forget, idleMs).unref();
  else timer.refresh();
  return block;
}

/** Lends these bytes to one more user, until they are given back. They need not be of a block. */
export function lend(bytes: Buffer): Buffer {
  const used = usedBytes.get(bytes.buffer);
  if (used !== undefined) usedBytes.set(bytes.buffer, used + bytes.length);
  return bytes;
}

/** Gives back `count` of these bytes: one user needs them no more. */
export function giveBack({ buffer, length }: Buffer, count = length): void {
  const used = usedBytes.get(buffer);
  if (used === undefined || count === 0) return;
  if (used > count) {
    usedBytes.set(buffer, used - count);
    return;
  }
  usedBytes.delete(buffer);
  timer?.refresh();
  free.get(buffer.byteLength)?.push(Buffer.from(buffer));
}

function forget(): void {
  for (const same of free.values()) same.length = 0;
}
