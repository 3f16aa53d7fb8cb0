import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { metersIn } from './meters.js';

const percentiles = [50, 90, 99];
const nsPerSecond = 1e9;

/**
 * The metrics of the process under the names that Node programs usually give them.
 *
 * Not those of `collectDefaultMetrics`, which also watches the garbage collector: that makes memory 7 % more expensive
 * to allocate, and lists every open handle at each scrape.
 */
export function createProcessMetrics(registry: Registry): void {
  const { counter, gauge } = metersIn(registry);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();

  counter('process_cpu_seconds_total', 'User and system time of the process.', [], () => {
    const { user, system } = process.cpuUsage();
    return [[{}, (user + system) / 1e6]];
  });
  gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () =>
    Math.round(performance.timeOrigin / 1000),
  );
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed);
  gauge('nodejs_external_memory_bytes', 'Memory of buffers.', () => process.memoryUsage().external);

  const lagName = (which: string) => `nodejs_eventloop_lag_${which}_seconds`;
  for (const percent of percentiles) {
    gauge(
      lagName(`p${percent}`),
      `${percent} of 100 delays of the event loop since the last scrape were shorter.`,
      () => seconds(delay.percentile(percent)),
    );
  }
  gauge(lagName('mean'), 'Mean delay of the event loop since the last scrape.', () => seconds(delay.mean));
  // Registered last, so it is read last.
  gauge(lagName('max'), 'Longest delay of the event loop since the last scrape.', () => {
    const longest = seconds(delay.max);
    delay.reset();
    return longest;
  });
}

/** A delay that was not measured yet is NaN. */
function seconds(ns: number): number {
  return Number.isFinite(ns) ? ns / nsPerSecond : 0;
}
