import type { Many } from './noted-keys.js';

/** What is to be applied of a space. */
export interface Applying {
  readonly space: string;
  /** The rows that were noted before the moment at which they are read. */
  readonly keys: ReadonlySet<string>;
  /** Adds those that were noted before a moment that has been opened. */
  readonly late: (keys: ReadonlySet<string>) => Promise<Set<string> | Many>;
  /** Called before something is written that is not of one moment. */
  readonly tear: () => Promise<void>;
}
