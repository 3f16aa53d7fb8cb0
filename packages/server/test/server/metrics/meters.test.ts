import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { metersIn } from '../../../src/server/metrics/meters.js';
import { samplesOf } from '../../support/metrics-text.js';

test('each scrape has what is read then: a counter is not summed up, and a number that is not known is left out', async () => {
  const registry = new Registry();
  const { counter, gauge } = metersIn(registry);
  let size: number | undefined = 3;
  counter('seen_total', 'Read anew.', ['kind'], () => [[{ kind: 'a' }, 2]]);
  gauge('size', 'Not always known.', () => size);
  const scrape = async () => samplesOf(await registry.metrics()).map(({ name, value }) => [name, value]);
  assert.deepEqual(await scrape(), [
    ['seen_total', 2],
    ['size', 3],
  ]);
  size = undefined;
  assert.deepEqual(await scrape(), [['seen_total', 2]]);
});
