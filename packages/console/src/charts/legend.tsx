import type { ChartProps } from './series.js';

interface LegendProps extends ChartProps {
  /** Which time is under the pointer. */
  readonly place: number | undefined;
}

/** What the rows are, how they are drawn, and their values at the pointer. */
export function Legend({ at, series, place, formatValue, formatTime }: LegendProps) {
  const time = place === undefined ? undefined : at[place];
  return (
    <figcaption class="chart-legend">
      {series.map(({ label, form, color, values }) => {
        const value = place === undefined ? undefined : values[place];
        return (
          <span key={label} class="chart-name">
            <svg class="chart-sign" width="20" height="12" viewBox="0 0 20 12" aria-hidden="true">
              <Sign form={form} color={color} />
            </svg>
            {label}
            {typeof value === 'number' && <strong>{formatValue(value)}</strong>}
          </span>
        );
      })}
      <span class="meta chart-time">{time === undefined ? '' : formatTime(time)}</span>
    </figcaption>
  );
}

function Sign({ form, color }: Pick<ChartProps['series'][number], 'form' | 'color'>) {
  const paint = `var(${color})`;
  if (!form.endsWith('bars')) {
    const dash = form.startsWith('dashed') ? '4 3' : undefined;
    return <path d="M0 6H20" stroke={paint} stroke-width="2" stroke-dasharray={dash} />;
  }
  return (
    <>
      <rect x="4" y="0.5" width="11" height="11" fill={form === 'bars' ? paint : 'none'} stroke={paint} />
      {form !== 'bars' && <path d="M4 6 9 1M4 11 14 1M9 11 15 5" stroke={paint} stroke-width="1.5" />}
      {form === 'crossed bars' && (
        <path d="M4 6 9 11M4 1 14 11M10 1 15 6" stroke={paint} stroke-width="1.5" />
      )}
    </>
  );
}
