import { modules, startBasedrive } from '../contenders/basedrive.js';
import { basedriveItems, basedriveUpload, makeBasedriveIndex } from '../contenders/basedrive-operations.js';
import type { Operation } from '../load/operation.js';
import type { Running } from '../processes/server-process.js';
import { markdown } from '../results/table.js';
import type { Bench } from '../workloads/bench.js';
import { fill } from '../workloads/fill.js';
import { markItems } from '../workloads/scan-loads.js';
import { bandOfMedian } from './band.js';
import { type Ratios, ratiosOf } from './ratios.js';
import { buildOf } from './revision-build.js';

interface Compared {
  readonly name: string;
  readonly operation: Operation;
  /** How many keys or names the requests use; default: those of the items. */
  readonly below?: number;
}

/** A request is dearer than before when all of the band is above this ratio: less cannot be told from chance. */
const dearerAbove = 1.02;
const fileNames = 1000;
const indexed = basedriveItems('indexed');
const plain = basedriveItems('items');

const comparisons: readonly Compared[] = [
  { name: 'get', operation: plain.get },
  { name: 'put', operation: plain.put },
  { name: 'ordered with an index', operation: indexed.ordered },
  { name: 'counted with an index', operation: indexed.counted },
  { name: 'upload 4 KB', operation: basedriveUpload(Buffer.alloc(4096, 'basedrive')), below: fileNames },
];

/**
 * Compares what the usual requests cost with another build, the two loaded in turns, and prints a table. Throws if one
 * has become dearer.
 */
export async function compareWith(bench: Bench, against: string): Promise<void> {
  const wanted = comparisons.filter(({ name }) => bench.wants(name));
  if (wanted.length === 0) throw new Error('--only: no comparison has such a name');
  bench.note(`building ${against}`);
  const before = await prepared(bench, 'before', buildOf(against, bench.folder('revision')).program);
  before.pause();
  const now = await prepared(bench, 'now', modules);
  now.pause();
  const rows: { cells: string[]; isDearer: boolean }[] = [];
  for (const { name, operation, below } of wanted) {
    const ratios = await ratiosOf(bench, {
      without: { running: before, operation, below },
      with: { running: now, operation, below },
    });
    const row = rowOf(name, ratios);
    bench.note(row.cells.join(': '));
    rows.push(row);
  }
  for (const running of [before, now]) await running.stop();
  const head = ['request', 'processor time', 'requests/s', ''];
  console.log(
    markdown(
      head,
      rows.map(({ cells }) => cells),
    ),
  );
  if (rows.some(({ isDearer }) => isDearer)) throw new Error(`a request is dearer than with ${against}`);
}

/** A server with the items, those that are asked for by an index in a base of their own. */
async function prepared(bench: Bench, name: string, program: string): Promise<Running> {
  const running = await startBasedrive(bench.folder(name), [], program);
  bench.note(`filling: ${name}`);
  for (const { put25 } of [plain, indexed]) await fill(running.url, put25, bench.options.items);
  await markItems(running, indexed.put);
  await makeBasedriveIndex(running.url, 'indexed');
  return running;
}

/** Without processor times, which not every system reports, the rate decides. */
function rowOf(name: string, { cpu, rate }: Ratios) {
  const band = bandOfMedian(cpu.length > 0 ? cpu : rate);
  const isDearer = band.from > dearerAbove;
  const verdict = isDearer ? 'dearer' : band.to < 1 ? 'cheaper' : '';
  return { cells: [name, bandText(cpu), bandText(rate), verdict], isDearer };
}

function bandText(ratios: readonly number[]): string {
  if (ratios.length === 0) return 'unknown';
  const { median, from, to } = bandOfMedian(ratios);
  return `${median.toFixed(3)} × (${from.toFixed(3)} to ${to.toFixed(3)})`;
}
