import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { defaultBufferedBytes } from '../../config/settings.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { memoryShare } from '../../lib/memory.js';

const mib = 1024 * 1024;
/** The least under which a server was loaded with everything at once: docs/operations.md#memory. */
const leastTested = 256 * mib;
/** With this version of Node and later ones, a server that encrypts by itself used 248 of 256 MiB under the same load. */
const dearTlsSince = 24;
const leastWithDearTls = 384 * mib;
/** What a server takes under ordinary loads, in addition to what it holds for slow clients: docs/operations.md#size. */
const ordinaryMemory = 300 * mib;
/** What the budget counts for one of the largest bodies, and the part of the budget that is for large ones. */
const largestBody = 48 * mib;
const largeShare = 3 / 4;
/** LevelDB and the blobs that are read and written need open files in addition to the connections. */
const filesBesideConnections = 2000;
/** No clock is right that shows a time before this program was written. */
const earliestMs = Date.UTC(2026, 0, 1);

/** What decides how much memory a server needs. */
export interface MemoryUse {
  readonly maxBufferedBytes: number;
  /** Whether it encrypts by itself. */
  readonly isSecure: boolean;
  /** The version of Node: `24.1.0`. */
  readonly node: string;
}

/**
 * Whether the memory of the machine, or of the container that limits it, suffices for what the server may hold for
 * clients; and what the server can do with that memory. `bytes` is the memory.
 */
export function memory(bytes: number, { maxBufferedBytes, isSecure, node }: MemoryUse): Finding {
  const atOnce = Math.max(1, Math.floor((maxBufferedBytes * largeShare) / largestBody));
  const caches = Math.round((100 * memoryShare(ordinaryMemory, bytes)) / ordinaryMemory);
  const found =
    `${inMib(bytes)}, of which --max-buffered-bytes may take ${inMib(maxBufferedBytes)}:` +
    ` ${atOnce} of the largest bodies at a time${caches === 100 ? '' : `, caches of ${caches} %`}`;
  const usual = defaultBufferedBytes(bytes);
  const advice = `Lower --max-buffered-bytes to ${usual}, or give the machine or the container more memory.`;
  if (maxBufferedBytes >= bytes) return failed('memory', found, advice);
  if (bytes < leastTested) {
    return warning(
      'memory',
      found,
      'Give the machine or the container 256 MiB or more: with less, no server was tested.',
    );
  }
  if (isSecure && Number.parseInt(node, 10) >= dearTlsSince && bytes < leastWithDearTls) {
    return warning(
      'memory',
      found,
      `Give the machine or the container 384 MiB or more: with HTTPS, Node.js ${node} needs them.`,
    );
  }
  const isTooMuch = maxBufferedBytes > usual && bytes - maxBufferedBytes < ordinaryMemory;
  return isTooMuch ? warning('memory', found, advice) : ok('memory', found);
}

function inMib(bytes: number): string {
  return `${Math.floor(bytes / mib).toLocaleString('en')} MiB`;
}

/** Whether the limit of open files suffices for this many connections. */
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
