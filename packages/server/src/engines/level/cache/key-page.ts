/**
 * What a page takes in addition to its keys: 930 bytes of the heap (measured with 8,000 pages), and about 370 outside of it for
 * its four buffers (estimated).
 */
const overheadBytes = 1300;
/** A page that grows gets this much more room than it needs. Most pages never do. */
const spare = 1.25;

/**
 * The sorted keys of a part of LevelDB, in their bytes, one after the other. A hundred keys are two objects for the
 * garbage collector, and take 30 bytes each in addition to their own.
 */
export class KeyPage {
  /** The number of keys. */
  count = 0;
  /** Whether a batch that changes its keys is being written. */
  isInFlux = false;
  /** Whether it was read since it was last about to be dropped. */
  isHot = true;
  /** Its index in the list of all pages. */
  index = 0;
  private bytes: Buffer;
  /** Where each key ends. */
  private ends: Uint32Array;

  /** Every key from this one on … */
  readonly from: Buffer;
  /** … that is before this one is in the page. */
  readonly to: Buffer;

  constructor(from: Buffer, to: Buffer, { bytes, keys }: { bytes: number; keys: number }) {
    this.from = copyOf(from);
    this.to = copyOf(to);
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.ends = new Uint32Array(keys);
  }

  /** A page with these keys, in their order. */
  static of(from: Buffer, to: Buffer, keys: readonly string[]): KeyPage {
    let bytes = 0;
    for (const key of keys) bytes += Buffer.byteLength(key);
    const page = new KeyPage(from, to, { bytes, keys: keys.length });
    let end = 0;
    for (const key of keys) {
      end += page.bytes.write(key, end);
      page.ends[page.count++] = end;
    }
    return page;
  }

  /** The memory that it takes. */
  get size(): number {
    return overheadBytes + this.bytes.length + this.ends.byteLength + this.from.length + this.to.length;
  }

  /** The bytes of its keys. */
  get keyBytes(): number {
    return this.startOf(this.count);
  }

  /** How many keys come before this one. */
  rankOf(key: Buffer): number {
    const { bytes, ends } = this;
    let low = 0;
    let high = this.count;
    // Whatever is between two keys begins as both do. Entries of an index begin alike, so most of it is not compared.
    let lowCommon = 0;
    let highCommon = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = middle === 0 ? 0 : (ends[middle - 1] as number);
      const size = (ends[middle] as number) - start;
      const length = Math.min(size, key.length);
      let common = Math.min(lowCommon, highCommon);
      while (common < length && bytes[start + common] === key[common]) common++;
      const isBefore =
        common < length ? (bytes[start + common] as number) < (key[common] as number) : size < key.length;
      if (isBefore) {
        low = middle + 1;
        lowCommon = common;
      } else {
        high = middle;
        highCommon = common;
      }
    }
    return low;
  }

  keyAt(rank: number): string {
    return this.bytes.toString('utf8', this.startOf(rank), this.ends[rank]);
  }

  /** Gives how many bytes more it takes. */
  insert(key: Buffer): number {
    const rank = this.rankOf(key);
    if (this.isAt(rank, key)) return 0;
    const start = this.startOf(rank);
    const end = this.keyBytes;
    const growth = this.makeRoom(end + key.length);
    this.bytes.copyWithin(start + key.length, start, end);
    this.bytes.set(key, start);
    this.ends.copyWithin(rank + 1, rank, this.count);
    this.ends[rank] = start;
    this.count++;
    this.moveEnds(rank, key.length);
    return growth;
  }

  delete(key: Buffer): void {
    const rank = this.rankOf(key);
    if (!this.isAt(rank, key)) return;
    this.bytes.copyWithin(this.startOf(rank), this.ends[rank] as number, this.keyBytes);
    this.ends.copyWithin(rank, rank + 1, this.count);
    this.count--;
    this.moveEnds(rank, -key.length);
  }

  /** Two pages with a half of the keys each. */
  halves(): readonly [KeyPage, KeyPage] {
    const middle = this.count >>> 1;
    const bound = Buffer.from(this.bytes.subarray(this.startOf(middle), this.ends[middle]));
    return [this.part(this.from, bound, 0, middle), this.part(bound, this.to, middle, this.count)];
  }

  private part(from: Buffer, to: Buffer, first: number, end: number): KeyPage {
    const start = this.startOf(first);
    const bytes = this.startOf(end) - start;
    const keys = end - first;
    const part = new KeyPage(from, to, { bytes: Math.ceil(bytes * spare), keys: Math.ceil(keys * spare) });
    this.bytes.copy(part.bytes, 0, start, start + bytes);
    for (let rank = first; rank < end; rank++) part.ends[part.count++] = (this.ends[rank] as number) - start;
    part.isHot = this.isHot;
    return part;
  }

  private startOf(rank: number): number {
    return rank === 0 ? 0 : (this.ends[rank - 1] as number);
  }

  /** The keys from this rank on have moved. */
  private moveEnds(first: number, by: number): void {
    const { count, ends } = this;
    for (let rank = first; rank < count; rank++) ends[rank] = (ends[rank] as number) + by;
  }

  /** Makes room for one more key, and for `bytes` of all keys. Gives how many more bytes the page takes. */
  private makeRoom(bytes: number): number {
    let growth = 0;
    if (bytes > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(bytes * spare));
      this.bytes.copy(larger, 0, 0, this.keyBytes);
      growth += larger.length - this.bytes.length;
      this.bytes = larger;
    }
    if (this.count === this.ends.length) {
      const longer = new Uint32Array(Math.ceil((this.count + 1) * spare));
      longer.set(this.ends);
      growth += longer.byteLength - this.ends.byteLength;
      this.ends = longer;
    }
    return growth;
  }

  /** Whether this key has this rank. */
  private isAt(rank: number, key: Buffer): boolean {
    if (rank === this.count) return false;
    const start = this.startOf(rank);
    if ((this.ends[rank] as number) - start !== key.length) return false;
    for (let at = key.length - 1; at >= 0; at--) if (this.bytes[start + at] !== key[at]) return false;
    return true;
  }
}

/** Without the shared memory that a small buffer would keep. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
