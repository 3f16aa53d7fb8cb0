import type { GridCell } from '../../grid/grid-props.js';
import { formatCalendarDay, formatTime } from '../../ui/format.js';
import { type DateForm, type Moment, readMoment } from './date-value.js';

/** A moment for people, at the clocks of this place. A day is the same everywhere. */
function momentText({ ms, isDay }: Moment): string {
  return isDay ? formatCalendarDay(ms) : formatTime(ms / 1000);
}

/** A value as a date in a cell of the grid; undefined if it is no date in this form. */
export function dateCell(json: string, form: DateForm): GridCell | undefined {
  const moment = readMoment(json, form);
  if (moment === undefined) return undefined;
  return {
    content: momentText(moment),
    class: 'value date',
    title: `${new Date(moment.ms).toISOString()} (${json})`,
  };
}
