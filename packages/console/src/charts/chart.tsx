import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../api/errors.js';
import { theme } from '../ui/theme.js';
import type { DrawnChart } from './draw.js';
import { Legend } from './legend.js';
import type { ChartProps } from './series.js';

/** A chart over time, with a legend that has the values under the pointer. Its code is loaded when the first one is shown. */
export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnChart | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [failure, setFailure] = useState<unknown>();
  const [place, setPlace] = useState<number | undefined>();
  const names = props.series.map(({ label, form }) => `${label}: ${form}`).join();

  useEffect(() => {
    let isGone = false;
    const open = async () => {
      const { drawChart } = await import('./draw.js');
      if (!isGone && host.current !== null) drawn.current = drawChart(host.current, latest.current, setPlace);
    };
    open().catch(setFailure);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const recolor = () => drawn.current?.recolor();
    const stopTheme = theme.subscribe(() => queueMicrotask(recolor));
    dark.addEventListener('change', recolor);
    return () => {
      isGone = true;
      stopTheme();
      dark.removeEventListener('change', recolor);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [names]);
  useEffect(() => drawn.current?.update(props), [props.at, props.series]);

  return (
    <figure class="chart">
      {failure !== undefined && <p class="problem">{explain(failure)}</p>}
      <div ref={host} class="chart-host" role="img" aria-label={props.summary} />
      <Legend {...props} place={place} />
    </figure>
  );
}
