import type { BlobStore } from './blob-store.js';
import type { ItemStore } from './item-store.js';

/** Variables of an environment, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Which store an engine is to open. */
export interface StoreLocation {
  /** A URL with one of the engine's schemes. The URL of a folder is `file:///absolute/path`. */
  readonly url: URL;
  /** Where the engine finds its credentials and options. It reads only the variables that its descriptor names. */
  readonly variables: Variables;
  /** Whether to make an embedded store that is missing. Engines on a network never make one. */
  readonly create: boolean;
  /** Whether to open rows that are known to be damaged: what cannot be read of them is lost. */
  readonly acceptDamage?: boolean | undefined;
}

/**
 * What the rest of the server knows of an engine. Each engine's folder exports one descriptor; `registry.ts` lists
 * them. A descriptor imports its engine only when it opens it, so that no start waits for drivers it does not use.
 */
export interface Engine<Store> {
  /** With their colon: `postgres:`. */
  readonly schemes: readonly string[];
  /** Whether `--items` or `--blobs` may name its URLs. The others are chosen by `--data`, `--memory` or a folder's path. */
  readonly isRemote: boolean;
  /** How its URLs are written, for messages: `postgres://user@host/database`. */
  readonly urlForm: string;
  /** The environment variables that it reads; a `*` at the end stands for any further characters. */
  readonly variables: readonly string[];
  /** What is wrong with a URL of one of its schemes, or undefined. */
  checkUrl(url: URL): string | undefined;
  /**
   * Opens the store. Throws `StoreMissing` when it is not there and `create` is false, `StoreInUse` when another
   * process has it, `StorageUnavailable` when it cannot be reached, and `OperatorError` for whatever else the operator
   * can correct.
   */
  open(location: StoreLocation): Promise<Store>;
  /** Makes the tables, or brings them to this version. Gives what it did, a sentence each. Throws like `open`. */
  migrate?(location: StoreLocation): Promise<readonly string[]>;
}

export type ItemEngine = Engine<ItemStore>;
export type BlobEngine = Engine<BlobStore>;
