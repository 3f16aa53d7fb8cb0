import { isCode } from '../../lib/folder.js';
import { BadSector, StorageUnavailable } from '../storage-errors.js';

/**
 * Errors of a disk that is full, read-only, missing or failing, of a process without free file handles, and of a folder
 * that the user of the process may not use.
 */
const temporary = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EIO',
  'ENOENT',
  'ENOTDIR',
  'ESTALE',
  'EACCES',
  'EPERM',
]);

/** `StorageUnavailable` for a failure that ends when the disk works again; any other cause unchanged. */
export function storageFailure(cause: unknown): unknown {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === undefined || !temporary.has(code)) return cause;
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : undefined;
  return new StorageUnavailable(`The folder of the blobs cannot be used for now (${code})`, {
    cause,
    reason,
  });
}

/**
 * The failure of a read of stored bytes: `BadSector` if the disk cannot read them, since asking again would not help. Else as
 * `storageFailure`.
 */
export function readFailure(what: string, cause: unknown): unknown {
  if (!isCode(cause, 'EIO')) return storageFailure(cause);
  return new BadSector(`${what} cannot be read from the disk (EIO)`, { cause });
}

/** Marks failures of the disk, not those of the source, as `StorageUnavailable`. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw storageFailure(cause);
  }
}
