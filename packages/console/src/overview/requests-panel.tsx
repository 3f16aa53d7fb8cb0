import type { ActivityDetails, ActivityPoint } from 'basedrive-client';
import { useMemo, useState } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import type { ChartProps } from '../charts/series.js';
import { ValuesTable } from '../charts/values-table.js';
import { countOf, formatClock, formatCount, formatMilliseconds } from '../ui/format.js';
import { Tabs } from '../ui/tabs.js';
import { type Slots, type Span, slotsOf } from './slots.js';

/** Requests, errors and times of the last hour or day. */
export function RequestsPanel({ activity }: { readonly activity: ActivityDetails }) {
  const [span, setSpan] = useState<Span>('hour');
  const charts = useMemo(() => chartsOf(slotsOf(activity, span, Date.now() / 1000), span), [activity, span]);
  return (
    <section class="panel" aria-label="Requests">
      <div class="panel-head">
        <h2>Requests</h2>
        <Tabs<Span> label="Time" chosen={span} onChoose={setSpan} tabs={{ hour: 'Hour', day: 'Day' }} />
      </div>
      <div class="charts-2">
        {charts.map((chart) => (
          <Chart key={chart.series[0]?.label} {...chart} />
        ))}
      </div>
      <ValuesTable caption={`Requests of the last ${span}`} charts={charts} />
    </section>
  );
}

function chartsOf({ at, slotSeconds, points }: Slots, span: Span): readonly ChartProps[] {
  const known = points.flatMap((point) => (point == null ? [] : [point]));
  const sum = (part: 'requests' | 'refused' | 'failed') => known.reduce((all, point) => all + point[part], 0);
  const counted = (of: (point: ActivityPoint) => number) =>
    points.map((point) => (point === undefined ? null : point === null ? 0 : of(point)));
  const timed = (of: (point: ActivityPoint) => number | undefined) =>
    points.map((point) => (point == null ? null : (of(point) ?? null)));
  const slowest = Math.max(0, ...known.map(({ p99_ms = 0 }) => p99_ms));
  const each = span === 'hour' ? 'minute' : 'quarter of an hour';
  const formatTime = formatClock;
  return [
    {
      summary:
        `Requests by ${each} of the last ${span}: ${formatCount(sum('requests'))} in all, ` +
        `${formatCount(sum('refused'))} refused, ${formatCount(sum('failed'))} failed`,
      at,
      slotSeconds,
      series: [
        {
          label: 'Answered',
          form: 'bars',
          color: '--accent',
          values: counted(({ requests, refused, failed }) => requests - refused - failed),
        },
        {
          label: 'Refused',
          form: 'hatched bars',
          color: '--warning',
          values: counted(({ refused }) => refused),
        },
        { label: 'Failed', form: 'crossed bars', color: '--danger', values: counted(({ failed }) => failed) },
      ],
      formatValue: (value) => (Number.isInteger(value) ? formatCount(value) : ''),
      formatTime,
    },
    {
      summary:
        `Times by ${each} of the last ${span}: ` +
        (known.length === 0
          ? 'no requests'
          : `99 of 100 took at most ${formatMilliseconds(slowest)} in the slowest of ${countOf(known.length, each, span === 'hour' ? 'minutes' : 'quarters of an hour')}`),
      at,
      slotSeconds,
      series: [
        { label: 'p99', form: 'dashed line', color: '--object', values: timed(({ p99_ms }) => p99_ms) },
        { label: 'p50', form: 'line', color: '--accent', values: timed(({ p50_ms }) => p50_ms) },
      ],
      formatValue: formatMilliseconds,
      formatTime,
    },
  ];
}
