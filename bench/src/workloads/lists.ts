import { basedriveList, basedriveUpload } from '../contenders/basedrive-operations.js';
import type { LoadResult } from '../load/load.js';
import { checkAnswer } from '../load/operation.js';
import { alone, type Bench, type Instance } from './bench.js';
import { fill } from './fill.js';
import { measureInRotation } from './rotation.js';

const lists = [
  { workload: 'list 1000 names', query: '' },
  { workload: 'list 1000 names with details', query: '&details=true' },
];

export const listWorkloads = lists.map(({ workload }) => workload);

/** Every page is to have a thousand names, from whichever name it begins. */
const fewestFiles = 2_000;

/** Lists pages of a thousand names, with and without details of the files (which are empty). */
export async function runLists(bench: Bench, instance: Instance): Promise<void> {
  const wanted = lists.filter(({ workload }) => bench.wants(workload));
  if (wanted.length === 0) return;
  const files = Math.max(fewestFiles, bench.options.files);
  bench.note(`filling a drive with ${files} files`);
  await alone(instance, () => fill(instance.running.url, basedriveUpload(Buffer.alloc(0)), files));
  const value = (result: LoadResult) => result.requests / result.seconds;
  for (const { workload, query } of wanted) {
    const list = basedriveList(0, query);
    await alone(instance, () => checkAnswer(instance.running.url, list, 0));
    const requests = [{ weight: 100, request: list.request }];
    const keys = { kind: 'random', below: files - 1001 } as const;
    for (const connections of bench.connectionsFor(workload))
      await measureInRotation(bench, { workload, connections, unit: 'requests/s', value }, [
        { instance, requests, keys },
      ]);
  }
}
