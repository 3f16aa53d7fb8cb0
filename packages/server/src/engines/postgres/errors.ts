import { DatabaseError } from 'pg';
import { OperatorError } from '../../operator-error.js';
import { StorageUnavailable } from '../storage-errors.js';

/** SQLSTATEs of a transaction that lost against another one: serialization failure, deadlock, duplicate key. */
const conflictCodes = new Set(['40001', '40P01', '23505']);

/** Classes of SQLSTATEs that pass by themselves, or that the operator can correct. Others are defects. */
const unavailableClasses = new Set([
  '08', // connection exceptions
  '25', // a read-only transaction: the server has become a standby
  '28', // the password was changed
  '3D', // the database does not exist (yet)
  '40', // rolled back because of a conflict
  '53', // no disk, no memory, too many connections
  '55', // a lock was not available in time
  '57', // cancelled by its time-out, shutting down, starting up
  '58', // the disk failed
]);

/** Whether the transaction was rolled back because of another one, so that it can be tried again. */
export function isConflict(cause: unknown): boolean {
  return cause instanceof DatabaseError && (conflictCodes.has(cause.code ?? '') || isCopiedDuplicate(cause));
}

/**
 * `invalid_sql_statement_name` and `duplicate_prepared_statement`: a pooler keeps prepared statements no more, though it did
 * when the connection was opened. A new connection finds out what it does now.
 */
const lostStatementCodes = ['26000', '42P05'];
/** A server that has become a standby: whoever wants to write does not want a connection to it. */
const readOnlyCode = '25006';
const lostConnectionCodes = new Set([readOnlyCode, ...lostStatementCodes]);

/** Whether the database refused only the statement, so that the connection can be used again. */
export function isOfStatement(cause: unknown): boolean {
  if (!(cause instanceof DatabaseError) || cause.severity !== 'ERROR') return false;
  return !lostConnectionCodes.has(cause.code ?? '');
}

/** Whether a pooler refused a parameter of the start of a session. PgBouncer says 08P01, others 0A000. */
export function isStartRefusal(cause: unknown): boolean {
  const { code = '', message } = cause instanceof DatabaseError ? cause : { message: '' };
  return ['08P01', '0A000'].includes(code) && /parameter|option/i.test(message);
}

/** `feature_not_supported`, `syntax_error` and `undefined_function`: how databases answer a statement that they do not have. */
const unknownStatementCodes = new Set(['0A000', '42601', '42883']);

/** Whether the database does not have the statement. */
export function isUnknownStatement(cause: unknown): boolean {
  return cause instanceof DatabaseError && unknownStatementCodes.has(cause.code ?? '');
}

/**
 * Citus copies the rows of some inserts to their shard, and reports what the shard refuses as an internal error. The
 * name of the constraint (on a shard with a number after it) is in the message in every language.
 */
function isCopiedDuplicate({ code, routine, message }: DatabaseError): boolean {
  return code === 'XX000' && routine === 'ReportCopyError' && message.includes('basedrive_rows_pkey');
}

/**
 * The error that the engine's caller gets: `StorageUnavailable` for what passes or can be corrected while the server runs, and
 * the cause itself if it is a defect.
 */
export function rowsFailure(cause: unknown): unknown {
  const problem = correctable(cause);
  return problem === undefined ? failureOf(cause) : new StorageUnavailable(problem.message, { cause });
}

/** The same when the database is opened: `OperatorError` if the tables are missing or the user has no right to them. */
export function openFailure(cause: unknown): unknown {
  return correctable(cause) ?? failureOf(cause);
}

/** What the operator must correct in the database: its tables may be away while they are restored, too. */
function correctable(cause: unknown): OperatorError | undefined {
  if (!(cause instanceof DatabaseError)) return undefined;
  if (cause.code === '42P01') return schemaMissing();
  return cause.code === '42501'
    ? new OperatorError(`The database refuses the user: ${cause.message}`, { cause })
    : undefined;
}

function failureOf(cause: unknown): unknown {
  if (cause instanceof DatabaseError) {
    const { code = '' } = cause;
    const passes = unavailableClasses.has(code.slice(0, 2)) || lostStatementCodes.includes(code);
    return passes ? unavailable(cause) : cause;
  }
  // The driver and the socket throw plain errors when no answer came.
  const isOfDriver = cause instanceof Error && !(cause instanceof TypeError || cause instanceof RangeError);
  const isKnown = cause instanceof StorageUnavailable || cause instanceof OperatorError;
  return isOfDriver && !isKnown ? unavailable(cause) : cause;
}

export function schemaMissing(): OperatorError {
  return new OperatorError('The database lacks the tables: run `basedrive migrate` with the same --items');
}

function unavailable(cause: Error): StorageUnavailable {
  // The error of a host name with several addresses has no message.
  const reason = cause.message || (cause as { code?: string }).code || cause.name;
  return new StorageUnavailable(`The database is unavailable: ${reason}`, { cause });
}
