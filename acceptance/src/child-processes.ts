import { readFile } from 'node:fs/promises';

/** The ids of the processes that a process has started. Only Linux lists them; elsewhere there are none. */
export async function childProcesses(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}
