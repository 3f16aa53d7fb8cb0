/** A row of values, drawn so that it can be told from the others without its colour. */
export interface ChartSeries {
  readonly label: string;
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[];
  /** Bars are stacked: each is drawn on top of those after it. */
  readonly form: 'bars' | 'hatched bars' | 'crossed bars' | 'line' | 'dashed line' | 'steps' | 'dashed steps';
  /** The name of a colour of the page: `--accent`. */
  readonly color: string;
}

export interface ChartProps {
  /** What it shows, in a sentence: also for those who cannot see it. */
  readonly summary: string;
  /** Seconds since 1970, ascending. */
  readonly at: readonly number[];
  /** What a time stands for, if each is the beginning of as many seconds. */
  readonly slotSeconds?: number;
  readonly series: readonly ChartSeries[];
  formatValue(value: number): string;
  formatTime(seconds: number): string;
  /** The same below the axis, where there is less room. */
  formatTick?(seconds: number): string;
}
