import type { Operation } from '../load/operation.js';
import type { Running } from '../processes/server-process.js';

/** A server to measure. It leaves out the operations that it does not offer. */
export interface Contender {
  readonly name: string;
  /** One line: what it is, and whether a write is synced when it is answered. */
  readonly about: string;
  /** Why it cannot run here; undefined if it can. */
  missing?(): string | undefined;
  /**
   * How often a check is repeated before a wrong answer counts; default: never. For servers that may send the answer
   * of a cut connection to a new one.
   */
  readonly retries?: number;
  /** Starts it on the folder, which is empty the first time and has its data afterwards. */
  start(folder: string): Promise<Running>;
  readonly items?: ItemOperations;
  /** Makes an index of the attribute `count`. Resolves when queries can use it. */
  makeIndex?(url: string): Promise<void>;
  /** Puts and reads any number of items in one request, in a base of their own. */
  readonly bulk?: { readonly in: BulkOperation; readonly out: BulkOperation };
  /** Queries of the items of `bulk`. */
  readonly ranges?: RangeOperations;
  readonly files?: FileOperations;
}

/** Ranges of the attribute `number`, which grows with the key: so the answers are known. */
export interface RangeOperations {
  /** Makes an index of `number`. Resolves when queries can use it. */
  makeIndex(url: string): Promise<void>;
  /** The ten items from a key on. */
  readonly ordered: Operation;
  /** How many items there are from a key on, up to the one that comes `entries` later. */
  counted(entries: number): Operation;
}

export type ItemOperationName =
  | 'get'
  | 'put'
  | 'put25'
  /** Stores many items, if `put25` does not exist. Used for filling, never measured. */
  | 'fill'
  | 'insert'
  | 'increment'
  | 'page'
  | 'pageFew'
  | 'pagePrefix'
  /** The ten items with the greatest `count`. */
  | 'ordered'
  /** How many items have a `count` of `markedCount` or more. */
  | 'counted'
  /** Moves 1 from the `count` of one item to that of another, if it stays 0 or more: both or none. */
  | 'transaction';

/** `increment` changes one hot item, whose key number is `hotKey`. */
export type ItemOperations = Partial<Readonly<Record<ItemOperationName, Operation>>>;

export const hotKey = 999_999_999_999;

/** Ten items with a greater `count` than all others, so that the answers of `ordered` and `counted` are known. */
export const markedKeys = Array.from({ length: 10 }, (_, n) => String(999_999_000_000 + n));
export const markedCount = 9_000_000;

/** What is wrong with an answer of `ordered`: it must have the marked items, the greatest count first. */
export function orderProblem(body: string): string | undefined {
  const keys = Array.from(body.matchAll(/"key": ?"(\d+)"/g), ([, key]) => key);
  return keys.join() === markedKeys.toReversed().join() ? undefined : `the items ${keys.join()}`;
}

/** A stream of items, one a line. */
export interface BulkOperation {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FileOperations {
  /** Stores the bytes under the name `fileName(bytes.length)`. */
  upload?(bytes: Buffer): Operation;
  download?(bytes: Buffer): Operation;
  /** Downloads a range of a file. */
  downloadPart?(bytes: Buffer, from: number, to: number): Operation;
  /** Uploads a large file, in parts if the protocol has them. */
  uploadLarge?(url: string, bytes: Buffer): Promise<void>;
}

/** The name of a file contains its size: `file-4096-000000000012`. */
export function fileName(sizeBytes: number): string {
  return `file-${sizeBytes}-{key}`;
}
