import type { ActivityDetails } from 'basedrive-client';
import { useMemo } from 'preact/hooks';
import { Chart } from '../charts/chart.js';
import type { ChartProps } from '../charts/series.js';
import { ValuesTable } from '../charts/values-table.js';
import { formatBytes, formatClock, formatDay, formatShortTime } from '../ui/format.js';

const daySeconds = 86_400;

/** What the project stored over time, as far as the server has measured it. */
export function StoragePanel({ storage }: Pick<ActivityDetails, 'storage'>) {
  const chart = useMemo(() => chartOf(storage), [storage]);
  return (
    <section class="panel" aria-label="Storage">
      <h2>Storage</h2>
      {storage.length < 2 ? (
        <p class="hint">
          The server measures it once an hour, while there are requests, since its start. From the second time
          on there is a chart here.
        </p>
      ) : (
        <>
          <Chart {...chart} />
          <ValuesTable caption="Storage over time" charts={[chart]} />
        </>
      )}
    </section>
  );
}

function chartOf(storage: ActivityDetails['storage']): ChartProps {
  const [first, last] = [storage[0], storage.at(-1)];
  const bytes = (point: typeof first) => formatBytes((point?.item_bytes ?? 0) + (point?.file_bytes ?? 0));
  return {
    summary: `Storage over time: from ${bytes(first)} to ${bytes(last)} in ${storage.length} measurements`,
    at: storage.map(({ at }) => at),
    series: [
      {
        label: 'Files',
        form: 'dashed steps',
        color: '--object',
        values: storage.map(({ file_bytes }) => file_bytes),
      },
      {
        label: 'Items',
        form: 'steps',
        color: '--accent',
        values: storage.map(({ item_bytes }) => item_bytes),
      },
    ],
    formatValue: formatBytes,
    formatTime: formatShortTime,
    formatTick: (last?.at ?? 0) - (first?.at ?? 0) > 2 * daySeconds ? formatDay : formatClock,
  };
}
