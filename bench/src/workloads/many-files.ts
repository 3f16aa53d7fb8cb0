import { basedriveList, basedriveUpload } from '../contenders/basedrive-operations.js';
import type { LoadResult } from '../load/load.js';
import { checkAnswer } from '../load/operation.js';
import { alone, type Bench, type Instance } from './bench.js';
import { fill } from './fill.js';
import { measureInRotation } from './rotation.js';

/** Lists pages of a thousand names from a drive with very many (empty) files. */
export async function runManyFiles(bench: Bench, instance: Instance): Promise<void> {
  const { files, connections } = bench.options;
  bench.note(`filling a drive with ${files} files`);
  const list = basedriveList(0);
  await alone(instance, async () => {
    await fill(instance.running.url, basedriveUpload(Buffer.alloc(0)), files);
    await checkAnswer(instance.running.url, list, 0);
  });
  const load = {
    instance,
    requests: [{ weight: 100, request: list.request }],
    keys: { kind: 'random', below: Math.max(1, files - 1001) } as const,
  };
  const value = (result: LoadResult) => result.requests / result.seconds;
  for (const count of connections) {
    await measureInRotation(
      bench,
      { workload: 'list 1000 names', connections: count, unit: 'requests/s', value },
      [load],
    );
  }
}
