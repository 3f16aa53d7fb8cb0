import type { Environment } from '../config/settings.js';

/** What commands use of the process. */
export interface Terminal {
  readonly arguments: readonly string[];
  readonly environment: Environment;
  /** Prints the result of a command to standard output. */
  readonly out: (text: string) => void;
  /** Aborted when standard output takes no more: whoever reads it has closed it, or its disk is full. */
  readonly outLost?: AbortSignal | undefined;
  /** Prints to standard error: errors, and messages of a server to the operator. */
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal. */
  readonly outIsTerminal: boolean;
  /**
   * If standard error is a terminal: shows there as much of a line as fits, in place of the previous one; empty for none.
   */
  readonly show?: ((text: string) => void) | undefined;
}
