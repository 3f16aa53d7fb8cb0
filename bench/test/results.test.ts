import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chart } from '../src/results/chart.js';
import { type Measurement, median, type Results } from '../src/results/measurement.js';
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
