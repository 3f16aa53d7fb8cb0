import { StorageUnavailable } from '../storage-errors.js';

/** What a disk says that is full, read-only, taken away or failing, or a process that is out of handles. */
const passing = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EIO',
  'ENOENT',
  'ENOTDIR',
  'ESTALE',
]);

/** `StorageUnavailable` for a failure that passes when the disk is well again; any other cause as it is. */
export function storageFailure(cause: unknown): unknown {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === undefined || !passing.has(code)) return cause;
  return new StorageUnavailable(`The folder of the blobs cannot be used for now (${code})`, { cause });
}

export function isCode(cause: unknown, code: string): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === code;
}
