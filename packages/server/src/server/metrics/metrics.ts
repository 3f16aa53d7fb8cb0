import { Gauge, Registry } from 'prom-client';
import { version } from '../../lib/version.js';
import { createBackgroundMetrics } from './background-metrics.js';
import { createEngineMetrics } from './engine-metrics.js';
import { createProcessMetrics } from './process-metrics.js';
import { createRequestMetrics } from './request-metrics.js';
import { type Running, watchState } from './state-metrics.js';

/** Everything that is counted for `--metrics` (docs/operations.md#metrics). */
export type Metrics = ReturnType<typeof createMetrics>;

/** Makes the metrics of one service: its own, and those of the process. */
export function createMetrics() {
  const registry = new Registry();
  createProcessMetrics(registry);
  new Gauge({
    name: 'basedrive_build_info',
    help: 'The version of Basedrive; the value is always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: version() }, 1);
  return {
    ...createEngineMetrics(registry),
    observer: { ...createRequestMetrics(registry), ...createBackgroundMetrics(registry) },
    /** Adds what is read from the running service at each scrape. */
    watch: (running: Running) => watchState(registry, running),
    contentType: registry.contentType,
    /** All metrics in the text format of Prometheus. */
    text: () => registry.metrics(),
  };
}
