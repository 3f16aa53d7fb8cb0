import type { ScanRange, TextRow } from '../engines/item-store.js';
import { type BytesOf, type Count, countRows } from './count.js';

/** Reads the rows of a range; its `prefix` is always given. */
export type Read = (range: ScanRange & { readonly prefix: string }) => AsyncIterable<readonly TextRow[]>;

export interface EstimateOptions {
  readonly read: Read;
  readonly bytesOf: BytesOf;
  /** Gives a random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Called before each attempt except the first, which is always made. No attempt is made once it gives false. */
  readonly mayGoOn: () => boolean;
}

/** The keys that begin with `prefix`, from `gte` on and before `lt`. */
interface Branch {
  readonly prefix: string;
  readonly gte?: string;
  readonly lt?: string;
}

/** A branch of at most this many rows is counted exactly. */
const countedRows = 32;
/**
 * The maximum number of characters at a fork that get a branch of their own. The characters after them are split into
 * as many ranges.
 */
const maxCharacters = 32;
const lastCodePoint = 0x10ffff;
const empty: Count = { rows: 0, bytes: 0 };

/**
 * Estimates the number of rows after a key, and their size, with a few hundred short reads. The keys form a tree that
 * branches by their next characters. The method is Knuth's estimate of the size of a tree: it follows a random sample
 * of branches to their ends, and each of them stands for the others at its fork. The expected value is the true number
 * for any keys. If the branches of each fork are alike, as with random ids and counters, even the first attempt is
 * close. Each attempt follows more branches than the one before; the result is the mean of the attempts.
 */
export async function estimateRows(
  range: { readonly prefix: string; readonly after: string },
  { read, bytesOf, random, mayGoOn }: EstimateOptions,
): Promise<Count> {
  const all = (branch: Branch): ScanRange & { readonly prefix: string } => ({ ...branch, gt: range.after });

  /** Follows `paths` paths to their ends, or one for each branch if there are more branches than paths. */
  async function estimate(branch: Branch, paths: number): Promise<Count> {
    const start = await readStart(branch);
    if (start.key === undefined || start.isAll) return start.count;
    const [last] = await rowsOf(read({ ...all(branch), reverse: true, limit: 1 }));
    if (last === undefined) return empty;
    const prefix = commonPrefix(start.key, last.key);
    const own = start.key === prefix ? start.own : empty;
    const branches = await split(branch, prefix, last.key);
    if (branches.length === 0) return own;
    const chosen = paths >= branches.length ? branches : drawn(branches, paths, random);
    const pathsOfEach = Math.max(1, Math.floor(paths / branches.length));
    let { rows, bytes } = empty;
    for (const one of chosen) {
      const part = await estimate(one, pathsOfEach);
      rows += part.rows;
      bytes += part.bytes;
    }
    const share = chosen.length / branches.length;
    return { rows: own.rows + rows / share, bytes: own.bytes + bytes / share };
  }

  /** Counts the first rows of a branch. Also gives the size of the first one, and whether these are all. */
  async function readStart(branch: Branch) {
    let key: string | undefined;
    let own = empty;
    let rows = 0;
    const count = await countRows(
      read({ ...all(branch), limit: countedRows + 1 }),
      (row) => {
        const bytes = bytesOf(row);
        if (++rows === 1) {
          key = row.key;
          own = bytes === undefined ? empty : { rows: 1, bytes };
        }
        return bytes;
      },
      () => true,
    );
    return { key, own, count, isAll: rows <= countedRows };
  }

  /** The branches after a prefix, by the next character. The key that equals the prefix is in none of them. */
  async function split(branch: Branch, prefix: string, lastKey: string): Promise<readonly Branch[]> {
    const branches: Branch[] = [];
    let from = (prefix === branch.prefix ? branch.gte : undefined) ?? `${prefix}\u0001`;
    for (;;) {
      const [next] = await rowsOf(read({ ...all(branch), prefix, gte: from, limit: 1 }));
      if (next === undefined) return branches;
      const point = next.key.codePointAt(prefix.length) as number;
      if (branches.length === maxCharacters) {
        return [...branches, ...rangesOf(prefix, point, lastKey.codePointAt(prefix.length) as number)];
      }
      branches.push({ prefix: prefix + String.fromCodePoint(point) });
      if (point === lastCodePoint) return branches;
      from = prefix + character(point + 1);
    }
  }

  let rows = 0;
  let bytes = 0;
  let weights = 0;
  let paths = 1;
  do {
    const attempt = await estimate({ prefix: range.prefix }, paths);
    rows += paths * attempt.rows;
    bytes += paths * attempt.bytes;
    weights += paths;
    paths *= 2;
  } while (mayGoOn());
  return { rows: rows / weights, bytes: bytes / weights };
}

/** Divides the characters from the first to the last one into ranges of equal size. */
function rangesOf(prefix: string, first: number, last: number): readonly Branch[] {
  const width = Math.ceil((last - first + 1) / maxCharacters);
  const ranges: Branch[] = [];
  for (let point = first; point <= last; point += width) {
    const gte = prefix + character(point);
    const end = Math.min(point + width, last + 1);
    ranges.push(end > lastCodePoint ? { prefix, gte } : { prefix, gte, lt: prefix + character(end) });
  }
  return ranges;
}

/** Keys are ordered by code points. A surrogate is not a character, so the next character takes its place. */
function character(point: number): string {
  return String.fromCodePoint(point >= 0xd800 && point <= 0xdfff ? 0xe000 : point);
}

async function rowsOf(batches: AsyncIterable<readonly TextRow[]>): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

/** Draws `count` elements of the list at random, each with the same probability. */
function drawn<T>(list: readonly T[], count: number, random: () => number): readonly T[] {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}

/** Gives the common prefix in whole characters, because no key begins with half of a surrogate pair. */
function commonPrefix(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const before = a.charCodeAt(at - 1);
  return a.slice(0, before >= 0xd800 && before <= 0xdbff ? at - 1 : at);
}
