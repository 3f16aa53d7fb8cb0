import type { Metric, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

/** The observations of one set of labels. */
export class Series {
  /** One number for each bound, and one for everything above the last bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(
    readonly labels: Labels,
    private readonly bounds: readonly number[],
  ) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Adds a value that was observed once, or that stands for this many observations. */
  observe(value: number, times = 1): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > bounds[at]!) at++;
    counts[at]! += times;
    this.sum += value * times;
  }
}

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** The upper bounds of the buckets, ascending. */
  readonly bounds: readonly number[];
}

/**
 * Registers a histogram, and gives the function that makes its series: one for each set of labels, made once and kept by
 * its user.
 *
 * prom-client's own histogram looks its labels up at every observation: 1.1 µs, a twentieth of a whole get. Adding
 * to a series takes 0.02 µs. prom-client reads the series when it is scraped.
 */
export function createHistogram(
  registry: Registry,
  { name, help, bounds }: HistogramOptions,
): (labels: Labels) => Series {
  const all: Series[] = [];
  const metric = {
    name,
    get: async () => ({ name, help, type: 'histogram', values: all.flatMap((series) => valuesOf(series)) }),
  };

  function valuesOf({ labels, counts, sum }: Series) {
    let count = 0;
    const buckets = [...bounds, '+Inf'].map((le, at) => {
      count += counts[at] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }

  // The registry needs only these members of a metric, but its types name its own classes.
  registry.registerMetric(metric as unknown as Metric);
  return (labels) => {
    const series = new Series(labels, bounds);
    all.push(series);
    return series;
  };
}
