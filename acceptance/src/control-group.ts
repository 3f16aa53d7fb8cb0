import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A control group of Linux with a limit of memory, as a container is one. */
export interface ControlGroup {
  /** The file that takes the ids of processes. */
  readonly processes: string;
  /** The same of a new group below it, which has no limit of its own. */
  processesBelow(): string;
  /** How many processes the kernel has killed for its limit. */
  killed(): number;
  /** Removes it, once its last process has ended. */
  remove(): Promise<void>;
}

/** Where the groups of memory are, the file of the limit, and the one that counts the killed, in each version. */
const versions = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
] as const;

/** Why no such group can be made here, which needs root and a kernel that lends the memory controller; undefined if it can. */
export function whyNoControlGroup(): string | undefined {
  try {
    const { processes } = makeControlGroup(2 ** 28);
    rmdirSync(join(processes, '..'));
    return undefined;
  } catch (cause) {
    return `no control group can be made here: ${(cause as Error).message}`;
  }
}

let made = 0;

/** Makes a group whose processes together have so many bytes of memory, and no swap. Throws if that is not possible. */
export function makeControlGroup(bytes: number): ControlGroup {
  const { folder, limit, events } = makeFolder();
  const below = join(folder, 'below');
  try {
    writeFileSync(join(folder, limit), String(bytes));
    const swap = join(folder, 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, '0');
  } catch (cause) {
    rmdirSync(folder);
    throw cause;
  }
  return {
    processes: join(folder, 'cgroup.procs'),
    processesBelow() {
      mkdirSync(below);
      return join(below, 'cgroup.procs');
    },
    killed() {
      const text = readFileSync(join(folder, events), 'utf8');
      return Number(/^oom_kill (\d+)$/m.exec(text)?.[1]);
    },
    async remove() {
      for (const each of [below, folder]) await removeWhenEmpty(each);
    },
  };
}

/** The words that run a program, which follows them, in this group. */
export function within(processes: string): readonly string[] {
  return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', processes];
}

function makeFolder() {
  const refusals: string[] = [];
  for (const version of versions) {
    const folder = join(version.root, `basedrive-memory-${process.pid}-${made++}`);
    try {
      mkdirSync(folder);
    } catch (cause) {
      refusals.push((cause as Error).message);
      continue;
    }
    if (existsSync(join(folder, version.limit))) return { ...version, folder };
    rmdirSync(folder);
    refusals.push(`${version.root} does not control memory`);
  }
  throw new Error(refusals.join('; '));
}

/** The kernel needs a moment to see that the last process has ended. */
async function removeWhenEmpty(folder: string): Promise<void> {
  while (existsSync(folder)) {
    try {
      rmdirSync(folder);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EBUSY') throw cause;
      await setTimeout(20);
    }
  }
}
