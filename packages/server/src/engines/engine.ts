import type { Finding } from '../lib/finding.js';
import type { BlobStore } from './blob-store.js';
import type { ItemStore } from './item-store.js';
import type { DamagedRow, RowDamage } from './storage-errors.js';

/** Variables of an environment, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A group of transactions that an item store has committed, or could not commit, in one batch. */
export interface CommittedGroup {
  /** For each transaction: how long it waited for its group to begin, in milliseconds. */
  readonly waitsMs: readonly number[];
  /** The number of rows that the group puts and deletes. */
  readonly operations: number;
  /** The time to decide, write and sync the group, in milliseconds. */
  readonly durationMs: number;
}

export type OnGroup = (group: CommittedGroup) => void;
export type OnDamage = (damage: RowDamage | DamagedRow) => void;
export type OnLoss = (damage: readonly RowDamage[]) => void;

/** The store that an engine opens. */
export interface StoreLocation {
  /** A URL with one of the engine's schemes. The URL of a folder is `file:///absolute/path`. */
  readonly url: URL;
  /** The variables with its credentials and options. The engine reads only those that its descriptor names. */
  readonly variables: Variables;
  /** Whether to create an embedded store that is missing. Engines on a network never create one. */
  readonly create: boolean;
  /** Whether to open rows that are known to be damaged: what cannot be read of them is lost. Damaged files are kept. */
  readonly acceptDamage?: boolean | undefined;
  /**
   * Whether `verify` is called again and again while the store is open: then what was compared lately, and was not changed
   * since, is not compared before, unless damage is accepted. Default: false.
   */
  readonly checksWhileOpen?: boolean | undefined;
  /** Whether no other process writes to the store while it is open. Default: false. */
  readonly isAlone?: boolean | undefined;
  /** Called after each group commit of rows. It must not throw. */
  readonly onGroup?: OnGroup | undefined;
  /** Called when damaged rows were opened, with the places whose rows are lost. It must not throw. */
  readonly onLoss?: OnLoss | undefined;
  /** Called for damage that shows while rows are read: for each damaged row again at each read. It must not throw. */
  readonly onDamage?: OnDamage | undefined;
}

/**
 * The descriptor of an engine: all that the rest of the server knows about it. The `engine.ts` of each engine's folder
 * exports one, and `registry.ts` lists them. A descriptor imports its engine only to open it, so that a start does not
 * load drivers that it does not use.
 */
export interface Engine<Store> {
  /** The URL schemes that it opens, with their colon: `postgres:`. */
  readonly schemes: readonly string[];
  /** Whether `--items` or `--blobs` accept its URLs. `--data`, `--memory` or the path of a folder select the others. */
  readonly isRemote: boolean;
  /** The form of its URLs, for messages: `postgres://user@host/database`. */
  readonly urlForm: string;
  /** The environment variables that it reads; a `*` at the end stands for any further characters. */
  readonly variables: readonly string[];
  /** Gives an address of one of its schemes that no URL may look like as the URL that it stands for. */
  toUrl?(address: string): string;
  /** What is wrong with a URL of one of its schemes, or undefined. */
  urlProblem(url: URL): string | undefined;
  /**
   * Opens the store. Throws `StoreMissing` if it does not exist and `create` is false, `StoreInUse` if another process
   * has it open, `StorageUnavailable` if it cannot be reached, and `OperatorError` for everything else that the
   * operator can correct.
   */
  open(location: StoreLocation): Promise<Store>;
  /** Creates the tables, or migrates them to this version. Gives a sentence for each change. Throws like `open`. */
  migrate?(location: StoreLocation): Promise<readonly string[]>;
  /**
   * What the operator should know of a store that can be opened, for `basedrive doctor`. Changes nothing. Throws like
   * `open`.
   */
  examine?(location: StoreLocation): Promise<readonly Finding[]>;
  /** What the operator can do about a failure of `open`, by the code or the name of an error that caused it. */
  readonly advice?: Readonly<Record<string, string>>;
}

export type ItemEngine = Engine<ItemStore>;
export type BlobEngine = Engine<BlobStore>;
