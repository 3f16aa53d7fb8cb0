import { OperatorError } from '../operator-error.js';

/** The storage is temporarily unusable (full, read-only, unreachable, out of file handles). Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  /** What every client may be told of the cause, as the end of a sentence: `the disk is full`. */
  readonly reason: string | undefined;

  constructor(message: string, options: ErrorOptions & { readonly reason?: string | undefined } = {}) {
    super(message, options);
    this.reason = options.reason;
  }
}

/** A change that was refused before anything of it was written: it is not made, and will not be. */
export class ChangeRefused extends StorageUnavailable {}

/** The rows of a transaction have more bytes than it may read. Nothing is changed. */
export class TooMuchRead extends Error {
  override readonly name = 'TooMuchRead';

  /** `fits`: the rows of the first `fits` keys, one or more, would not be too many. */
  constructor(readonly fits: number) {
    super(`Only the first ${fits} of the rows may be read together`);
  }
}

/** The storage cannot change headers, and so no base in it can have indexes. */
export class HeadersUnsupported extends OperatorError {}

/** Stored bytes are not those that were written. Answered with 500; only a backup helps. */
export class BytesDamaged extends Error {
  override readonly name: string = 'BytesDamaged';
}

/** A place on the disk that bytes are to be read from cannot be read. */
export class BadSector extends BytesDamaged {
  override readonly name = 'BadSector';
}

/** A blob that a row names is not in the blob store. */
export class BlobMissing extends BytesDamaged {
  override readonly name = 'BlobMissing';
}

/** An embedded store does not exist at its address. */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing';
}

/** Another process has the store open. */
export class StoreInUse extends Error {
  override readonly name = 'StoreInUse';
}

/** A place in the files of a row engine that does not hold what was written there. */
export interface RowDamage {
  readonly file: string;
  /** In bytes from the start of the file; absent if the problem concerns the whole file. */
  readonly offset?: number;
  readonly problem: string;
}

/** A row that does not hold what was written there. */
export interface DamagedRow {
  readonly space: string;
  readonly key: string;
  readonly problem: string;
}

/** Stored rows do not have the bytes that were written. Answered with 500; only a backup helps. */
export class RowsDamaged extends OperatorError {
  override readonly name = 'RowsDamaged';
  /** The damaged places, when they are known. */
  readonly damage: readonly RowDamage[];
  /** Of rows in the order of their keys: the last key that the damaged place may have had, if it ends within their range. */
  readonly lastKey: string | undefined;
  /** The same as clients know it: `toldDamage` sets it. */
  readonly until: string | undefined;

  constructor(message: string, options: ErrorOptions & RowsDamagedFacts = {}) {
    super(message, options);
    this.damage = options.damage ?? [];
    this.lastKey = options.lastKey;
    this.until = options.until;
  }
}

type RowsDamagedFacts = Partial<Pick<RowsDamaged, 'damage' | 'lastKey' | 'until'>>;

/**
 * The failure of a list that a client asked for, which tells it where the damage ends (docs/http.md#error-codes). `textOf`
 * makes a row's key what the client may continue after; undefined if it is not that.
 */
export function toldDamage(cause: unknown, textOf: (lastKey: string) => string | undefined): unknown {
  if (!(cause instanceof RowsDamaged) || cause.lastKey === undefined) return cause;
  const until = textOf(cause.lastKey);
  return until === undefined ? cause : new RowsDamaged(cause.message, { cause, damage: cause.damage, until });
}

/** A damaged place as text: `file, byte offset: problem`. */
function describeDamage({ file, offset, problem }: RowDamage): string {
  return `${file}${offset === undefined ? '' : `, byte ${offset}`}: ${problem}`;
}

/** Whether a read failed because a place on the disk cannot be read. */
export function isBadSector(cause: unknown): cause is BadSector {
  return cause instanceof BadSector;
}

/** Whether a blob cannot be read, and others perhaps can: because of the disk, or of who may open its file. */
export function isUnreadable(cause: unknown): boolean {
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as NodeJS.ErrnoException;
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  return isBadSector(cause) || (cause instanceof StorageUnavailable && isForbidden);
}

/** What the operator is told of a failure: with the path on the disk, which clients are not told. */
export function textForOperator(failure: Error): string {
  const { message, cause } = failure;
  // That of an `OperatorError` is written for people.
  if (failure instanceof OperatorError) return message;
  const { path } = (cause ?? {}) as NodeJS.ErrnoException;
  return path === undefined ? message : `${message}: ${(cause as Error).message}`;
}

/** Whether the storage answers nothing any more, because damaged rows were found in it. */
export function isRefusedForDamage(cause: unknown): cause is StorageUnavailable {
  return cause instanceof StorageUnavailable && cause.cause instanceof RowsDamaged;
}

/** Whether what is stored is damaged, whichever engine stores it. */
export function isDamage(cause: unknown): boolean {
  return cause instanceof RowsDamaged || cause instanceof BytesDamaged;
}

/** The error for damaged rows: it names the first place. */
export function rowsDamaged(damage: readonly RowDamage[]): RowsDamaged {
  return new RowsDamaged(`The rows are damaged: ${firstOf(damage)}`, { damage });
}

/** What the operator is told when damaged rows were opened: a sentence without its full stop. */
export function rowsLostText(damage: readonly RowDamage[]): string {
  return (
    `the rows were damaged, and what could not be read of them is lost: ${firstOf(damage)};` +
    ' the damaged files are kept, with .damaged after their names'
  );
}

function firstOf(damage: readonly RowDamage[]): string {
  const [first = '', ...rest] = damage.map(describeDamage);
  return `${first}${rest.length === 0 ? '' : ` (and ${rest.length} more)`}`;
}
