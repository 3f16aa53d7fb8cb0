import { clientWorkloads } from '../workloads/client-load.js';
import { find, type Results } from './measurement.js';
import { markdown } from './table.js';

/** What others published of the same workload: on their machine, so that no ratio is given. */
const published = [
  ['TrailBase, TypeScript client', '16.5', ''],
  ['TrailBase, Dart client', '7.1', '55.0'],
  ['TrailBase, C# client', '5.7', '21.8'],
  ['PocketBase, TypeScript client', '67.7', ''],
  ['PocketBase, Dart client', '61.7', ''],
  ['SupaBase', '151', ''],
];

export const aboutPublished =
  'Each insert and each read is a request of its own, 64 at a time, through a client library on the same machine as the ' +
  'server. The figures of the others are those of <https://trailbase.io/reference/benchmarks> and of the sources of its ' +
  'charts, taken in 2024 on 8 cores (AMD 7840U); they are not of this machine, which the client shares with the server. ' +
  '**Basedrive syncs each insert before it answers.** TrailBase and PocketBase run SQLite with `synchronous=NORMAL` and a ' +
  'write-ahead log, which syncs at checkpoints: a power cut may take inserts that were answered.';

/** Markdown: the seconds of the workload that TrailBase publishes, beside its figures; undefined if not measured. */
export function publishedTable(runs: readonly Results[]): string | undefined {
  for (const run of runs) {
    const [inserts, reads] = [clientWorkloads.inserts, clientWorkloads.reads].map((workload) =>
      find(run, workload, 'basedrive', 64),
    );
    if (inserts === undefined || reads === undefined) continue;
    const seconds = (count: number, { value }: { value: number }) => (count / value).toFixed(1);
    const own = [
      'Basedrive, TypeScript client in Node',
      seconds(100_000, inserts),
      seconds(1_000_000, reads),
    ];
    return markdown(['s', '100,000 inserts', '1,000,000 reads by key'], [own, ...published]);
  }
  return undefined;
}
