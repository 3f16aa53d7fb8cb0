import type { ActivityDetails, ActivityPoint } from 'basedrive-client';

export type Span = 'hour' | 'day';

const spans = { hour: { seconds: 60, slots: 60 }, day: { seconds: 900, slots: 96 } } as const;

/** The values of every minute or quarter of an hour of a span, whether there were requests or not. */
export interface Slots {
  readonly slotSeconds: number;
  readonly at: readonly number[];
  /** Undefined where nothing is known: before the start of the server. Null where there was no request. */
  readonly points: readonly (ActivityPoint | null | undefined)[];
}

/** Fills the gaps between the points that the service gives: it leaves out times without requests. */
export function slotsOf(activity: ActivityDetails, span: Span, nowSeconds: number): Slots {
  const { seconds, slots } = spans[span];
  const given = activity[span];
  // The clock of the server decides where the slots begin, and this one at most how many there are after the last request.
  const last = given.at(-1)?.at ?? nowSeconds;
  const end = last + Math.max(0, Math.floor((nowSeconds - last) / seconds)) * seconds;
  const at = Array.from({ length: slots }, (_, n) => end - (slots - 1 - n) * seconds);
  const numberOf = (moment: number) => Math.round((end - moment) / seconds);
  const byNumber = new Map(given.map((point) => [numberOf(point.at), point]));
  return {
    slotSeconds: seconds,
    at,
    points: at.map((moment, n) => {
      const isKnown = moment + seconds > activity.since;
      return byNumber.get(slots - 1 - n) ?? (isKnown ? null : undefined);
    }),
  };
}
