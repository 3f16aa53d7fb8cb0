import { isSystemError } from '../system-error.js';

/** Whether a process of this machine has the number. */
export function isAlive(id = 0): boolean {
  if (!Number.isSafeInteger(id) || id <= 0) return false;
  try {
    return process.kill(id, 0);
  } catch (cause) {
    // It belongs to somebody else.
    return isSystemError(cause) && cause.code === 'EPERM';
  }
}
