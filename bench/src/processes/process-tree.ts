import { readdirSync, readFileSync } from 'node:fs';

/** A process and all its descendants; without /proc, only the process itself. */
function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of allProcesses()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Sends a signal to a process and all its descendants; those that have ended are ignored. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const pid of processTree(root)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!isCode(error, 'ESRCH')) throw error;
    }
  }
}

/** Sizes in MB (10^6 bytes). */
export interface Memory {
  readonly residentMb: number;
  /** What belongs to the processes alone. The rest of what is resident are mapped files, which the kernel may drop. */
  readonly anonymousMb: number;
}

/**
 * The memory of a process and all its descendants; undefined without /proc. Memory that several processes share
 * (PostgreSQL's buffers) is divided among them, so that none counts twice.
 */
export function memoryOf(root: number): Memory | undefined {
  const tree = processTree(root);
  const [file, resident, anonymous] =
    tree.length === 1
      ? (['status', 'VmRSS', 'RssAnon'] as const)
      : (['smaps_rollup', 'Pss', 'Pss_Anon'] as const);
  return memoryTogether(
    tree.map((pid) => {
      const text = readIfThere(`/proc/${pid}/${file}`);
      const [residentMb, anonymousMb] = [sizeMb(text, resident), sizeMb(text, anonymous)];
      return residentMb === undefined || anonymousMb === undefined ? undefined : { residentMb, anonymousMb };
    }),
  );
}

/** The sum of what is known; undefined if nothing is. */
export function memoryTogether(parts: readonly (Memory | undefined)[]): Memory | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  return known.reduce((sum, part) => ({
    residentMb: sum.residentMb + part.residentMb,
    anonymousMb: sum.anonymousMb + part.anonymousMb,
  }));
}

/** Linux counts the time of a process in ticks of 10 ms, whatever the kernel's own ticks are. */
const ticksPerSecond = 100;
const nsPerSecond = 1e9;

/** The processor time in seconds that a process has used; undefined without /proc. Its children do not count. */
export function cpuSeconds(pid: number): number | undefined {
  return scheduledSeconds(pid) ?? tickedSeconds(pid);
}

/** To the nanosecond, as the scheduler counts it for each thread; undefined if the kernel was built without that. */
function scheduledSeconds(pid: number): number | undefined {
  if (readIfThere(`/proc/${pid}/schedstat`) === undefined) return undefined;
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => {
    // `run wait slices`. A thread that ends in the meantime takes its time along.
    const [run] = (readIfThere(`/proc/${pid}/task/${thread}/schedstat`) ?? '0').split(' ');
    return Number(run);
  });
  return times.reduce((sum, ns) => sum + ns, 0) / nsPerSecond;
}

function tickedSeconds(pid: number): number | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // `pid (name) state …`: the name may contain spaces. The user's and the kernel's ticks are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function sizeMb(text: string | undefined, field: string): number | undefined {
  const line = text === undefined ? null : new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text);
  return line === null ? undefined : (Number(line[1]) * 1024) / 1e6;
}

/** The ids of every process and its parent. */
function allProcesses(): [number, number][] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): [number, number][] => {
      // The format is `pid (name) state parent …`; the name may contain spaces and parentheses.
      const stat = readIfThere(`/proc/${name}/stat`);
      const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
      return parent === undefined ? [] : [[Number(name), Number(parent)]];
    });
}

/** The text of a file, or undefined if it is missing: a process may end while its files are read. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH') || isCode(error, 'EACCES')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
