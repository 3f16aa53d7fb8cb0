import uPlot from 'uplot';
import { hatched } from './pattern.js';
import type { ChartProps, ChartSeries } from './series.js';

/** A chart on the page. */
export interface DrawnChart {
  update(props: ChartProps): void;
  /** Draws it in the colours that the page has now. */
  recolor(): void;
  destroy(): void;
}

const heightPixels = 160;
const tickSpacePixels = 72;

/** Draws a chart into an element, as wide as it is. Calls `onPlace` with the time under the pointer. */
export function drawChart(
  host: HTMLElement,
  first: ChartProps,
  onPlace: (place: number | undefined) => void,
): DrawnChart {
  let props = first;
  let plot = draw();

  function draw(): uPlot {
    return new uPlot(optionsOf(props, host, onPlace), dataOf(props), host);
  }

  const observer = new ResizeObserver(() => {
    if (host.clientWidth > 0) plot.setSize({ width: host.clientWidth, height: heightPixels });
  });
  observer.observe(host);
  return {
    update(next) {
      props = next;
      plot.setData(dataOf(props));
    },
    recolor() {
      plot.destroy();
      plot = draw();
    },
    destroy() {
      observer.disconnect();
      plot.destroy();
    },
  };
}

function optionsOf(
  { series, formatValue, formatTime, formatTick = formatTime, slotSeconds = 0 }: ChartProps,
  host: HTMLElement,
  onPlace: (place: number | undefined) => void,
): uPlot.Options {
  const paint = (name: string) => colorOf(host, name);
  const axis = {
    stroke: paint('--muted'),
    grid: { stroke: paint('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(host).fontFamily}`,
  };
  return {
    width: Math.max(host.clientWidth, 120),
    height: heightPixels,
    // A time at the right end has half of its text beyond it.
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { range: (_, min, max) => [min, max + slotSeconds] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: tickSpacePixels,
        values: (_, at) => at.map(formatTick),
      },
      { ...axis, size: 72, space: 36, values: (_, values) => values.map(formatValue) },
    ],
    series: [{}, ...series.map((one) => seriesOf(one, paint))],
    hooks: { setCursor: [({ cursor }) => onPlace(cursor.idx ?? undefined)] },
  };
}

function seriesOf({ label, form, color }: ChartSeries, paint: (name: string) => string): uPlot.Series {
  const stroke = paint(color);
  if (form.endsWith('bars')) {
    const fill = form === 'bars' ? stroke : hatched(stroke, paint('--background'), form === 'crossed bars');
    const bars = uPlot.paths.bars?.({ size: [0.8, 20], align: 1 });
    return { label, stroke, fill, width: 1, points: { show: false }, ...(bars && { paths: bars }) };
  }
  const steps = form.endsWith('steps') ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    label,
    stroke,
    width: 2,
    points: { size: 5, fill: stroke, filter: shownPoints },
    ...(form.startsWith('dashed') && { dash: [6, 4] }),
    ...(steps && { paths: steps }),
  };
}

/**
 * The values that a line is drawn through, where there is room for them. Otherwise those without neighbours: no line leads
 * to them, so a service that has just begun to answer would seem to have answered nothing.
 */
const shownPoints: uPlot.Series.Points.Filter = ({ data }, series, isRoom) => {
  if (isRoom) return null;
  const values = data[series] ?? [];
  const isAt = (index: number) => (values[index] ?? null) !== null;
  return [...values.keys()].filter((index) => isAt(index) && !isAt(index - 1) && !isAt(index + 1));
};

/** The times and the rows; bars stand on those after them. */
function dataOf({ at, series }: ChartProps): uPlot.AlignedData {
  const rows = series.map(({ values, form }, row) => {
    if (!form.endsWith('bars')) return [...values];
    const below = series.slice(row + 1).filter((other) => other.form.endsWith('bars'));
    return values.map((value, n) =>
      value === null ? null : value + below.reduce((sum, other) => sum + (other.values[n] ?? 0), 0),
    );
  });
  return [[...at], ...rows] as uPlot.AlignedData;
}

/** What a colour of the page is now: a canvas knows no variables. */
function colorOf(host: HTMLElement, name: string): string {
  const before = host.style.color;
  host.style.color = `var(${name})`;
  const { color } = getComputedStyle(host);
  host.style.color = before;
  return color;
}
