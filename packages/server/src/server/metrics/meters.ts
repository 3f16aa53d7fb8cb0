import { Counter, Gauge, type Registry } from 'prom-client';

/** A number, and its labels. */
type Labelled = readonly [Record<string, string | number>, number];

export type Meters = ReturnType<typeof metersIn>;

/** Makes functions that register numbers. */
export function metersIn(registry: Registry) {
  const registers = [registry];
  return {
    /** A counter that its user increments. */
    events: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers }),

    /** A number that is read at every scrape, and left out while it is not known. */
    gauge(name: string, help: string, read: () => number | undefined): void {
      new Gauge({
        name,
        help,
        registers,
        // With no label name, prom-client would give 0 for a number that is not known.
        labelNames: ['never'],
        collect() {
          this.reset();
          const value = read();
          if (value !== undefined) this.set({}, value);
        },
      });
    },

    /** A counter that is read at every scrape. */
    counter(name: string, help: string, labelNames: string[], read: () => readonly Labelled[]): void {
      new Counter({
        name,
        help,
        registers,
        labelNames,
        collect() {
          this.reset();
          for (const [labels, value] of read()) this.inc(labels, value);
        },
      });
    },

    /** Numbers with a label each, which are read at every scrape. */
    gauges(name: string, help: string, label: string, read: () => readonly Labelled[]): void {
      new Gauge({
        name,
        help,
        registers,
        labelNames: [label],
        collect() {
          for (const [labels, value] of read()) this.set(labels, value);
        },
      });
    },
  };
}
