// Remembers work that must not stop halfway, so that the next run can notice an interruption and start afresh.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Does the work while a marker file exists. The file stays only when this process, or the one that `work` runs, is
 * killed. `work` returns what `spawnSync` returns.
 */
export function withMarker(file, work) {
  // Another process that does the same work now has its own marker there.
  const isOurs = !existsSync(file) || wasInterrupted(file);
  if (isOurs) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${process.pid}\n`);
  }
  const result = work();
  if (isOurs && result.signal === null) rmSync(file, { force: true });
  return result;
}

/** Whether the work of a marker was interrupted: the file is there, and its process is not. */
export function wasInterrupted(file) {
  if (!existsSync(file)) return false;
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return false;
  } catch (cause) {
    // EPERM: the process is there, and belongs to somebody else.
    return cause.code !== 'EPERM';
  }
}
