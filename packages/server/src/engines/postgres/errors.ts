import { DatabaseError } from 'pg';
import { OperatorError } from '../../operator-error.js';
import { StorageUnavailable } from '../storage-errors.js';

/** Another transaction came between, and this one was undone: a conflict of its reads, a deadlock, a key that came. */
const conflicts = new Set(['40001', '40P01', '23505']);

/** Classes of PostgreSQL's codes that pass by themselves or by the operator's hand; others are faults of ours. */
const passing = new Set([
  '08', // connection exceptions
  '25', // a read-only transaction: the server has become a standby
  '28', // the password was changed
  '3D', // the database is not there (yet)
  '40', // undone too often
  '53', // no disk, no memory, too many connections
  '55', // a lock that was not to be had in time
  '57', // cancelled by its time-out, shutting down, starting up
  '58', // the disk
]);

export function isConflict(cause: unknown): boolean {
  return cause instanceof DatabaseError && conflicts.has(cause.code ?? '');
}

/**
 * What a caller of the engine is told: `StorageUnavailable` for what passes, `OperatorError` when the tables are
 * missing, and the cause itself for what is a fault of ours.
 */
export function rowsFailure(cause: unknown): unknown {
  if (cause instanceof DatabaseError) {
    if (cause.code === '42P01') return schemaMissing();
    return passing.has((cause.code ?? '').slice(0, 2)) ? unavailable(cause) : cause;
  }
  // The driver's and the socket's: no answer came. A name with several addresses gives an error without a message.
  const isOfDriver = cause instanceof Error && !(cause instanceof TypeError || cause instanceof RangeError);
  const isOurs = cause instanceof StorageUnavailable || cause instanceof OperatorError;
  return isOfDriver && !isOurs ? unavailable(cause) : cause;
}

export function schemaMissing(): OperatorError {
  return new OperatorError('The database lacks the tables: run `basedrive migrate` with the same --items');
}

function unavailable(cause: Error): StorageUnavailable {
  const reason = cause.message || (cause as { code?: string }).code || cause.name;
  return new StorageUnavailable(`The database does not take it for now: ${reason}`, { cause });
}
