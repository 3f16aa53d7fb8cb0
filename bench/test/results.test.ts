import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chart } from '../src/results/chart.js';
import { type Measurement, median, type Results } from '../src/results/measurement.js';
import { resultsSection } from '../src/results/section.js';
import { resultTable } from '../src/results/table.js';
import { isMet, targets, targetTable } from '../src/results/targets.js';

function measurement(
  contender: string,
  workload: string,
  value: number,
  more: Partial<Measurement> = {},
): Measurement {
  return { contender, workload, connections: 64, unit: 'requests/s', value, rounds: [value], ...more };
}

function results(...measurements: Measurement[]): Results {
  return {
    takenAt: '2026-01-01T00:00:00Z',
    node: '20',
    cores: 2,
    memoryGb: 1,
    loadGenerator: 'wrk',
    options: {},
    contenders: {},
    missing: {},
    measurements,
  };
}

test('the median is the middle value, or the mean of the two middle values', () => {
  assert.equal(median([5, 1, 3]), 3);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
});

test('the table shows every figure with its ratio to the service', () => {
  const table = resultTable(
    results(measurement('basedrive', 'get', 1000), measurement('bare fixed', 'get', 2500)),
  );
  assert.match(table, /\| get \| 64 \| requests\/s \| 1,000 \| 2,500 \(2\.50×\) \|/);
});

test('a target compares the service with another contender, and is met or not', () => {
  const run = results(measurement('basedrive', 'get', 1200), measurement('bare fixed', 'get', 1000));
  const table = targetTable([run]);
  assert.match(table, /get, to the bare fixed-answer server \| ≥ 1\.15 × \| 1\.20 × \| yes \|/);
  assert.match(table, /get, to webdis \+ redis \| ≥ 1\.4 × \| not measured \|/);
  const slower = results(measurement('basedrive', 'get', 700), measurement('bare fixed', 'get', 1000));
  assert.match(targetTable([slower]), /bare fixed-answer server \| ≥ 1\.15 × \| 0\.70 × \| \*\*no\*\* \|/);
});

test('growth is the ratio of the time in the largest base to the time in the smallest', () => {
  const bySize = ['1,000 items', '5,000,000 items', '100,000 items'];
  const run = results(
    ...bySize.map((size, index) => measurement(size, 'get by size', [1200, 1000, 1100][index]!)),
  );
  assert.match(targetTable([run]), /get by size: .* \| 1\.20 × \| yes \|/);
});

test('the service started otherwise is compared with the usual one of the same run', () => {
  const run = results(
    measurement('basedrive', 'put', 1000),
    measurement('basedrive with its log', 'put', 950),
    measurement('basedrive over HTTPS', 'put', 700),
  );
  assert.match(targetTable([run]), /put with its line in the log, .* \| 0\.95 × \| yes \|/);
  assert.match(targetTable([run]), /put over HTTPS, .* \| 0\.70 × \| \*\*no\*\* \|/);
});

test('another build, whose figures have no connections, is compared with this one', () => {
  const large = { connections: 0, unit: 'MB/s' as const };
  const run = results(
    measurement('basedrive', 'upload large (100 MB)', 280, large),
    measurement('basedrive before', 'upload large (100 MB)', 200, large),
  );
  assert.match(targetTable([run]), /100 MB upload in parts, to the build before \| .* \| 1\.40 × \| yes \|/);
});

test('the time of an entry is that of the dearest, and a cliff is seen', () => {
  const counts = (rates: Record<string, number>) =>
    results(
      ...Object.entries(rates).map(([entries, rate]) =>
        measurement('basedrive', `count of ${entries} entries`, rate, { connections: 1 }),
      ),
    );
  // 0.2 µs an entry, and 0.6 beyond a limit. Of a few entries the request itself would be the dearest part.
  const table = targetTable([
    counts({ '100': 10_000, '10,000': 500, '50,000': 100, '300,000': 1e6 / 180_000 }),
  ]);
  assert.match(table, /the dearest entry, .* \| 0\.60 µs \| \*\*no\*\* \|/);
  assert.match(table, /no cliff.* \| 3\.00 × \| \*\*no\*\* \|/);
  assert.match(targetTable([counts({ '100': 10_000 })]), /no cliff.* \| not measured \|/);
});

test('details of a list are compared by the time of a page', () => {
  const run = results(
    measurement('basedrive', 'list 1000 names', 1000),
    measurement('basedrive', 'list 1000 names with details', 800),
  );
  assert.match(targetTable([run]), /with details: .* \| 1\.25 × \| yes \|/);
});

test('the memory of a target is anonymous, the highest of all runs, whatever is resident', () => {
  const memory = (anonymousMb: number) => ({ memoryMb: 600, anonymousMb });
  const runs = [
    results(
      measurement('basedrive', 'get', 1, memory(200)),
      measurement('postgres by hand', 'get', 1, memory(400)),
    ),
    results(measurement('5,000,000 items', 'get by size', 1, memory(280))),
  ];
  assert.match(targetTable(runs), /anonymous memory under .* \| 280 MB \| yes \|/);
});

test('what others published stands beside the figures of the same workload', () => {
  const run = results(
    measurement('basedrive', 'inserts through the client', 10_000),
    measurement('basedrive', 'reads through the client', 20_000),
  );
  const section = resultsSection([results(), run]);
  assert.match(section, /\| Basedrive, TypeScript client in Node \| 10\.0 \| 50\.0 \|\n\| TrailBase/);
  assert.doesNotMatch(resultsSection([results()]), /TrailBase/);
});

test('a figure equal to the bound meets "at least" and "at most", but not "under"', () => {
  assert.equal(isMet({ direction: 'at least', bound: 5 }, 5), true);
  assert.equal(isMet({ direction: 'at most', bound: 5 }, 5), true);
  assert.equal(isMet({ direction: 'under', bound: 5 }, 5), false);
});

test('every target has a name of its own', () => {
  assert.equal(new Set(targets.map((target) => target.about)).size, targets.length);
});

test('the longest bar shows the highest figure, and names are escaped in XML', () => {
  const picture = chart(
    results(measurement('basedrive', 'a < b', 500), measurement('dd', 'a < b', 1000)),
    64,
  );
  const widths = [...picture.matchAll(/<rect x[^>]* width="([\d.]+)"/g)].map((match) => Number(match[1]));
  assert.deepEqual(widths, [210, 420]);
  assert.match(picture, /a &lt; b/);
});
