import type { Operation } from '../load/operation.js';
import type { Running } from '../processes/server-process.js';

/** Something to measure beside the others. What it does not offer it leaves out. */
export interface Contender {
  readonly name: string;
  /** What it is and what it promises when it has answered, in a line. */
  readonly about: string;
  /** Why it cannot run here, or undefined when it can. */
  missing?(): string | undefined;
  /**
   * How often a wrong answer is asked for again before it counts; default: never. For servers known to send a new
   * connection what was meant for one that was cut.
   */
  readonly retries?: number;
  /** Starts it on the folder, which is empty at the first time and as it left it at the next. */
  start(folder: string): Promise<Running>;
  readonly items?: ItemOperations;
  readonly files?: FileOperations;
}

export type ItemOperationName =
  | 'get'
  | 'put'
  | 'put25'
  /** Stores many; for contenders whose `put25` does not. Used to fill, never measured. */
  | 'fill'
  | 'insert'
  | 'increment'
  | 'page'
  | 'pageFew'
  | 'pagePrefix';

/** `increment` is of one hot item, that of number `hotKey`. */
export type ItemOperations = Partial<Readonly<Record<ItemOperationName, Operation>>>;

export const hotKey = 999_999_999_999;

export interface FileOperations {
  /** Stores the bytes under the name `nameOf(bytes.length)`. */
  upload?(bytes: Buffer): Operation;
  download?(bytes: Buffer): Operation;
  /** A stretch of a file, asked for with Range. */
  downloadPart?(bytes: Buffer, from: number, to: number): Operation;
  /** A file too large for one load: whole, or in parts where the protocol has them. */
  uploadLarge?(url: string, bytes: Buffer): Promise<void>;
}

/** Names of files say how large they are: `file-4096-000000000012`. */
export function fileName(sizeBytes: number): string {
  return `file-${sizeBytes}-{key}`;
}
