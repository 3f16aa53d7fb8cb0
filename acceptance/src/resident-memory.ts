import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The resident memory of a process (RSS), in MiB. */
export function residentMiB(pid: number): number {
  return residentKiB(pid) / 1024;
}

function residentKiB(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (found !== null) return Number(found[1]);
  } catch (cause) {
    // Only Linux has /proc.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}
