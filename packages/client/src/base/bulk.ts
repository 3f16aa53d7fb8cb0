import type { CallOptions } from '../http/endpoint.js';
import type { BasedriveError } from '../http/error.js';
import type { Expiry } from '../items/expiry.js';

/** Options of `exportItems` and `exportLines`. `timeoutMs` counts until the items begin to arrive. */
export interface ExportOptions extends CallOptions {
  /** Only items whose keys begin with this text. */
  readonly prefix?: string | undefined;
  /** Only items whose keys come after this one, which need not exist. */
  readonly last?: string | undefined;
}

export interface ExportLinesOptions extends ExportOptions {
  /** Called as lines arrive, with what has arrived so far. */
  readonly onProgress?: ((progress: ExportLinesProgress) => void) | undefined;
}

export interface ExportLinesProgress {
  readonly items: number;
  readonly bytes: number;
}

/** What `importItems` and `importLines` have in common. `timeoutMs` applies to each request. */
interface InsertOption extends CallOptions {
  /** True: only items whose key does not exist are stored; the others fail with code `conflict`. */
  readonly insert?: boolean | undefined;
}

export interface ImportOptions extends Expiry, InsertOption {
  /** Called after each request with the numbers of items so far. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

export interface ImportProgress {
  readonly stored: number;
  readonly failed: number;
}

export interface ImportLinesOptions extends InsertOption {
  /** Called after each request with the numbers so far. */
  readonly onProgress?: ((progress: ImportLinesProgress) => void) | undefined;
  /** Called for each line that is not stored. The result lists only the first 1000. */
  readonly onFailed?: ((line: FailedLine) => void) | undefined;
}

export interface ImportLinesProgress extends ImportProgress {
  /** Bytes of the lines that were stored or refused. */
  readonly sent: number;
  /** Bytes of all lines. Undefined for a stream until its end is reached. */
  readonly total: number | undefined;
}

/** A line that was not stored, counted from 1, and why. */
export interface FailedLine {
  readonly line: number;
  readonly error: BasedriveError;
}

export interface ImportLinesResult {
  /** Number of items that were stored. */
  stored: number;
  /** Number of lines that were not stored. */
  failedCount: number;
  /** The first 1000 of these. */
  failed: FailedLine[];
}
