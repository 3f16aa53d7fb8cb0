import { beforeName } from '../contenders/basedrive-variants.js';
import type { Results } from './measurement.js';
import { markdown } from './table.js';
import {
  cliff,
  connections,
  dearestEntry,
  growth,
  highestAnonymous,
  largest,
  own,
  ratio,
  slowdown,
  tail,
  variant,
} from './target-figures.js';

/** A target of the project: a bound for a figure of one run. */
export interface Target {
  readonly about: string;
  readonly bound: number;
  /** Whether the bound is a minimum or a maximum. */
  readonly direction: 'at least' | 'at most' | 'under';
  readonly unit: '×' | 'MB/s' | 'ms' | 'µs' | 'MB';
  /** The figure; undefined if the run did not measure it. */
  measured(results: Results): number | undefined;
}

function times(about: string, bound: number, measured: Target['measured']): Target {
  return { about, bound, direction: 'at least', unit: '×', measured };
}

const [up100Mb, down100Mb] = ['upload large (100 MB)', 'download large (100 MB)'];

/** Every target, in the order of the documentation. */
export const targets: readonly Target[] = [
  times('get, to the bare fixed-answer server', 1.15, ratio('get', { contender: 'bare fixed' })),
  times('get, to webdis + redis', 1.4, ratio('get', { contender: 'webdis + redis' })),
  times('put, to the bare JSON reader', 1, ratio('put', { contender: 'bare json' })),
  times('put, to webdis + redis synced at every write', 1.2, ratio('put', { contender: 'webdis + redis' })),
  times(
    'put, to nginx + Lua + redis synced at every write',
    1.05,
    ratio('put', { contender: 'nginx + lua + redis' }),
  ),
  times(
    'put on one connection, to webdis + redis synced at every write',
    1.2,
    ratio('put', { contender: 'webdis + redis' }, 1),
  ),
  ...['get', 'put'].flatMap((name) => [
    times(
      `${name} with its line in the log, to ${name} without`,
      0.9,
      variant(name, 'basedrive with its log'),
    ),
    times(`${name} over HTTPS, kept alive, to plain`, 0.75, variant(name, 'basedrive over HTTPS')),
  ]),
  times('put, to PostgreSQL by hand', 3, ratio('put', { contender: 'postgres by hand' })),
  times('put, to SQLite by hand', 5, ratio('put', { contender: 'sqlite by hand' })),
  times('put of 25 in items/s, to put', 5, ratio('put 25', { workload: 'put' })),
  times('bulk in, to put of 25, on one connection each', 3, ratio('bulk in', { workload: 'put 25' }, 1)),
  times(
    'bulk in on one connection, to put of 25 on 64',
    3,
    ratio('bulk in', { workload: 'put 25', at: connections }, 1),
  ),
  ...['in', 'out'].map((way) =>
    times(
      `bulk ${way}, to SQLite by hand`,
      way === 'in' ? 1.2 : 0.8,
      ratio(`bulk ${way}`, { contender: 'sqlite by hand' }, 1),
    ),
  ),
  times(
    'transaction on one connection, to SQLite by hand',
    1,
    ratio('transaction', { contender: 'sqlite by hand' }, 1),
  ),
  ...['ordered', 'counted'].flatMap((name) => [
    times(
      `${name} with an index, to SQLite by hand`,
      0.7,
      ratio(`${name} with an index`, { contender: 'sqlite by hand' }),
    ),
    times(
      `${name} with an index, to PostgreSQL by hand`,
      1.5,
      ratio(`${name} with an index`, { contender: 'postgres by hand' }),
    ),
    times(
      `${name}, random ranges of 1,000,000 items, to SQLite by hand`,
      0.7,
      ratio(`${name}, a random range`, { contender: 'sqlite by hand' }),
    ),
    times(
      `${name}, random ranges of 1,000,000 items, to PostgreSQL by hand`,
      1.5,
      ratio(`${name}, a random range`, { contender: 'postgres by hand' }),
    ),
    times(
      `${name} without an index, on 4 connections, to SQLite by hand`,
      0.8,
      ratio(`${name} without an index`, { contender: 'sqlite by hand' }, 4),
    ),
  ]),
  {
    about: 'a count that the index decides: the dearest entry, in counts of 10,000 to 300,000',
    bound: 0.5,
    direction: 'at most',
    unit: 'µs',
    measured: dearestEntry,
  },
  {
    about: 'the same: an entry to one in a smaller count (no cliff)',
    bound: 2,
    direction: 'at most',
    unit: '×',
    measured: cliff,
  },
  times('put with an index, to put', 0.7, ratio('put with an index', { workload: 'put' })),
  times('increment of one hot item, to put', 0.5, ratio('increment one hot item', { workload: 'put' })),
  ...[
    { about: 'page without a filter', bound: 100, workload: 'page no filter' },
    { about: 'page where few match', bound: 60, workload: 'page few match' },
    { about: 'page without a filter, 2 KB items', bound: 200, workload: 'page no filter 2 KB items' },
    { about: 'page where few match, 2 KB items', bound: 120, workload: 'page few match 2 KB items' },
  ].map(
    ({ about, bound, workload }): Target => ({
      about,
      bound,
      direction: 'at least',
      unit: 'MB/s',
      measured: own(workload, 'value'),
    }),
  ),
  times('full pages, to the build before', 1.8, ratio('page no filter', { contender: beforeName })),
  {
    about: 'get while four clients page, p99',
    bound: 20,
    direction: 'under',
    unit: 'ms',
    measured: own('get during pages', 'p99Ms'),
  },
  ...[
    { workload: 'get by size', bound: 1.5 },
    { workload: 'put by size', bound: 1.3 },
    { workload: 'page of 100 by size', bound: 1.3 },
  ].map(
    ({ workload, bound }): Target => ({
      about: `${workload}: time in the largest base to that in the smallest`,
      bound,
      direction: 'at most',
      unit: '×',
      measured: growth(workload),
    }),
  ),
  times('100 MB download, to nginx with sendfile', 0.9, ratio(down100Mb, { contender: 'nginx' }, 8)),
  times('100 KB download, to nginx with sendfile', 0.6, ratio('download 100 KB', { contender: 'nginx' })),
  times('100 KB upload, to nginx WebDAV (not synced)', 1.1, ratio('upload 100 KB', { contender: 'nginx' })),
  times('4 KB upload, to put', 0.45, ratio('upload 4 KB', { workload: 'put' })),
  times('4 KB download, to nginx with sendfile', 0.7, ratio('download 4 KB', { contender: 'nginx' })),
  times('4 KB download, to get', 0.7, ratio('download 4 KB', { workload: 'get' })),
  times('100 MB upload in parts, to the build before', 1.35, ratio(up100Mb, { contender: beforeName }, 0)),
  times('100 MB upload in parts, to dd with a sync', 0.8, ratio(up100Mb, { contender: 'dd' }, 0)),
  {
    about: 'list of 1,000 names with details: its time to that without',
    bound: 1.5,
    direction: 'at most',
    unit: '×',
    measured: slowdown('list 1000 names with details', 'list 1000 names'),
  },
  { about: 'get: p99 to p50', bound: 5, direction: 'under', unit: '×', measured: tail('get') },
  { about: 'put: p99 to p50', bound: 5, direction: 'under', unit: '×', measured: tail('put') },
  {
    about: 'long load: longest wait',
    bound: 100,
    direction: 'at most',
    unit: 'ms',
    measured: own('long load', 'maxMs'),
  },
  times(
    'long load: throughput at the end to that at the start',
    0.85,
    own('long load end to start', 'value'),
  ),
  {
    about: 'start to first answer, empty',
    bound: 250,
    direction: 'at most',
    unit: 'ms',
    measured: own('start empty', 'value', 0),
  },
  {
    about: 'start to first answer, largest base',
    bound: 500,
    direction: 'under',
    unit: 'ms',
    measured: largest('start by size'),
  },
  {
    about: 'memory at rest',
    bound: 120,
    direction: 'under',
    unit: 'MB',
    measured: own('memory at rest', 'value', 0),
  },
  {
    about: 'anonymous memory under the heaviest load',
    bound: 300,
    direction: 'under',
    unit: 'MB',
    measured: highestAnonymous,
  },
];

/** Whether a figure meets its target. */
export function isMet({ direction, bound }: Pick<Target, 'direction' | 'bound'>, figure: number): boolean {
  if (direction === 'at least') return figure >= bound;
  return direction === 'under' ? figure < bound : figure <= bound;
}

/** Markdown: every target, the figure of the first run that measured it, and whether it is met. */
export function targetTable(runs: readonly Results[]): string {
  const signs = { 'at least': '≥', 'at most': '≤', under: '<' };
  const rows = targets.map((target) => {
    const figure = measuredBy(target, runs);
    return [
      target.about,
      `${signs[target.direction]} ${target.bound} ${target.unit}`,
      figure === undefined ? 'not measured' : `${amount(figure)} ${target.unit}`,
      figure === undefined ? '' : isMet(target, figure) ? 'yes' : '**no**',
    ];
  });
  return markdown(['', 'target', 'measured', 'met'], rows);
}

/** A ratio belongs to one run, so figures of several runs are not mixed. The highest memory is that of all runs. */
function measuredBy(target: Target, runs: readonly Results[]): number | undefined {
  const figures = runs.map((run) => target.measured(run)).filter((figure) => figure !== undefined);
  if (figures.length === 0) return undefined;
  return target.measured === highestAnonymous ? Math.max(...figures) : figures[0];
}

function amount(figure: number): string {
  return figure >= 100 ? String(Math.round(figure)) : figure.toFixed(2);
}
