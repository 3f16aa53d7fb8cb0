import type { Environment } from '../config/settings.js';

/** What a command needs of the process. */
export interface Terminal {
  readonly arguments: readonly string[];
  readonly environment: Environment;
  /** Prints to standard output: what a command was asked for. */
  readonly out: (text: string) => void;
  /** Prints to standard error: errors, and what a server tells the human who started it. */
  readonly err: (text: string) => void;
  /** On a terminal: shows a line on standard error in place of the one before; empty for none. */
  readonly show?: (text: string) => void;
}
