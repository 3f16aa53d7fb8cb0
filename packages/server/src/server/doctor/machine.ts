import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';

const mib = 1024 * 1024;
/** Below this, a server under load has little room in addition to the bytes that it holds for clients. */
const enoughMemory = 512 * mib;
/** The setting has no lower value. */
const leastBufferedBytes = 96 * mib;
/** What a server takes under ordinary loads, in addition to what it holds for slow clients: docs/operations.md#size. */
const ordinaryMemory = 300 * mib;
/** LevelDB and the blobs that are read and written need open files in addition to the connections. */
const filesBesideConnections = 2000;
/** No clock is right that shows a time before this program was written. */
const earliestMs = Date.UTC(2026, 0, 1);

/**
 * Whether the memory of the machine, or of the container that limits it, suffices for what the server may hold for
 * clients. Both are in bytes.
 */
export function memory(bytes: number, maxBufferedBytes: number): Finding {
  const found = `${inMib(bytes)}, of which --max-buffered-bytes may take ${inMib(maxBufferedBytes)}`;
  const quarter = Math.max(Math.floor(bytes / 4), leastBufferedBytes);
  const advice = `Lower --max-buffered-bytes to ${quarter}, or give the machine or the container more memory.`;
  if (maxBufferedBytes >= bytes) return failed('memory', found, advice);
  if (bytes < enoughMemory) {
    return warning('memory', found, 'Give the machine or the container 512 MiB or more.');
  }
  return bytes - maxBufferedBytes < ordinaryMemory ? warning('memory', found, advice) : ok('memory', found);
}

function inMib(bytes: number): string {
  return `${Math.floor(bytes / mib).toLocaleString('en')} MiB`;
}

/** Whether the limit of open files suffices for so many connections. */
export async function openFiles(maxConnections: number): Promise<Finding> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  // Node raises its limit to the hard one at the start, so the soft limit is what a server has.
  const text = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  if (text === undefined) return ok('open files', 'this system does not show the limit');
  const limit = text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
  const wanted = maxConnections + filesBesideConnections;
  if (limit >= wanted) return ok('open files', `at most ${text}`);
  return warning(
    'open files',
    `at most ${text}, and --max-connections is ${maxConnections}`,
    `Raise the limit to ${wanted} (ulimit -n, LimitNOFILE of systemd), or lower --max-connections.`,
  );
}

/** Whether the clock is plausible, and whether something keeps it in step. */
export async function clock(nowMs: number): Promise<Finding> {
  const shown = new Date(nowMs).toISOString();
  if (nowMs < earliestMs) {
    return failed('clock', shown, 'Set the clock: expiry, keys and links follow it.');
  }
  const answer = await promisify(execFile)('timedatectl', ['show', '--property=NTPSynchronized', '--value'])
    .then(({ stdout }) => stdout.trim())
    .catch(() => 'unknown');
  if (answer === 'yes') return ok('clock', `${shown}, kept in step by NTP`);
  if (answer === 'unknown') return ok('clock', `${shown}; this system does not show whether NTP runs`);
  return warning(
    'clock',
    `${shown}, not kept in step`,
    'Run an NTP client: expiry, keys and links follow the clock.',
  );
}
