import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';

/** From this much memory on, every bound that follows the memory has its full size. */
const ampleBytes = 1024 * 1024 * 1024;

let known: number | undefined;

/** The memory in bytes that this process may use: that of the machine, or less if its container or unit limits it. */
export function memoryBytes(): number {
  // If there is no limit, Node gives 0 or a number that exceeds all memory. It does not look at the groups above.
  const ofProcess = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  known ??= Math.min(totalmem(), ofProcess, controlGroupBytes());
  return known;
}

/** Whether this is little memory, so that bounds shrink and memory is given back early. */
export function isLittleMemory(memory = memoryBytes()): boolean {
  return memory < ampleBytes;
}

/**
 * A bound of memory that is `fullBytes` with 1 GiB or more, and in proportion less with less: a quarter of it with
 * 256 MiB.
 */
export function memoryShare(fullBytes: number, memory = memoryBytes()): number {
  return Math.floor(fullBytes * Math.min(1, memory / ampleBytes));
}

/** Where Linux says to which control groups a process belongs, and shows them: see cgroups(7). */
export interface ControlGroups {
  readonly list: string;
  readonly root: string;
}

const ownGroups: ControlGroups = { list: '/proc/self/cgroup', root: '/sys/fs/cgroup' };

/**
 * The lowest limit of memory in bytes of the control groups of this process and of all groups above them; infinite if
 * there is none, and elsewhere than on Linux. In a container whose own group is the root of what it sees, the path in
 * the list need not exist there.
 */
export function controlGroupBytes({ list, root }: ControlGroups = ownGroups): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const line of textOf(list).split('\n')) {
    const [, number, controllers = '', path = ''] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
    const isSecond = number === '0' && controllers === '';
    if (!isSecond && !controllers.split(',').includes('memory')) continue;
    const top = isSecond ? root : resolve(root, 'memory');
    const files = isSecond ? ['memory.max', 'memory.high'] : ['memory.limit_in_bytes'];
    for (const folder of foldersUpTo(top, path)) {
      for (const file of files) lowest = Math.min(lowest, limitIn(resolve(folder, file)));
    }
  }
  return lowest;
}

function foldersUpTo(top: string, path: string): readonly string[] {
  const folders = [top];
  // A path that leads out of what the process sees begins with `/..`.
  for (let at = resolve(top, `.${path}`); at.startsWith(`${top}/`); at = dirname(at)) folders.push(at);
  return folders;
}

/** A group without a limit has `max` there, or no such file. */
function limitIn(file: string): number {
  const text = textOf(file).trim();
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
