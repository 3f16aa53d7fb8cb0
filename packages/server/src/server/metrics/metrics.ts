import { Gauge, Registry } from 'prom-client';
import type { ReadActivity } from '../../catalog/activity.js';
import { version } from '../../lib/version.js';
import type { AppObserver } from '../app.js';
import { createEngineMetrics, type EngineMetrics } from './engine-metrics.js';
import { createMaintenanceMetrics } from './maintenance-metrics.js';
import { createProcessMetrics } from './process-metrics.js';
import { ProjectActivity } from './project-activity.js';
import { createRequestMetrics } from './request-metrics.js';
import { type Running, watchState } from './state-metrics.js';

/** Everything that is counted for `--metrics` (docs/operations.md#metrics). */
export interface Metrics extends EngineMetrics {
  readonly observer: AppObserver;
  readonly readActivity: ReadActivity;
  /** Adds what is read from the running service at each scrape. */
  watch(running: Running): void;
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Makes the metrics of one service: its own, and those of the process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  createProcessMetrics(registry);
  new Gauge({
    name: 'basedrive_build_info',
    help: 'The version of Basedrive; the value is always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: version() }, 1);
  const requests = createRequestMetrics(registry);
  const activity = new ProjectActivity(() => performance.now());
  return {
    ...createEngineMetrics(registry),
    observer: {
      ...requests,
      ...createMaintenanceMetrics(registry),
      onAnswered(exchange, status, bytes, durationMs) {
        requests.onAnswered(exchange, status, bytes, durationMs);
        // Only a request with a valid key has an owner.
        const { owner, startedMs } = exchange;
        if (owner !== undefined) activity.count(owner, status, durationMs, startedMs + durationMs);
      },
    },
    readActivity: (project) => activity.of(project),
    watch: (running) => watchState(registry, running),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
