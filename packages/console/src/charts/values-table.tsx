import { useState } from 'preact/hooks';
import type { ChartProps } from './series.js';

/** The values of charts in words, for those who do not see them, and for a second look. Times without values are left out. */
export function ValuesTable({
  caption,
  charts,
}: {
  readonly caption: string;
  readonly charts: readonly ChartProps[];
}) {
  const [isOpen, setIsOpen] = useState(false);
  const at = charts[0]?.at ?? [];
  const rows = at
    .map((seconds, place) => ({ seconds, place }))
    .filter(({ place }) => charts.some(({ series }) => series.some(({ values }) => (values[place] ?? 0) > 0)))
    .toReversed();
  return (
    <details class="chart-values" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <div class="table-box">
          <table class="table">
            <caption class="hidden-label">{caption}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {charts.flatMap(({ series }) =>
                  series.map(({ label }) => (
                    <th key={label} scope="col" class="right">
                      {label}
                    </th>
                  )),
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ seconds, place }) => (
                <tr key={seconds}>
                  <th scope="row">{charts[0]?.formatTime(seconds)}</th>
                  {charts.flatMap(({ series, formatValue }) =>
                    series.map(({ label, values }) => {
                      const value = values[place];
                      return (
                        <td key={label} class="right">
                          {typeof value === 'number' ? formatValue(value) : ''}
                        </td>
                      );
                    }),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
