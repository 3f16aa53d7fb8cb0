/** Whether the operating system reported it: it has `code` and `syscall`. */
export function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && 'syscall' in cause;
}
