import { count } from '../http/routing/operation.js';
import { described, named, number, object, optional, type ValueOf } from '../json/schema.js';

const time = (description: string) => number({ minimum: 0, description });

export const ActivityResponse = named(
  'ActivityResponse',
  object(
    {
      minutes: described(count, 'The time that is counted: the minute that has begun and those before it'),
      requests: count,
      failed: described(count, 'Of these, those with 500 or a higher status'),
      p50_ms: optional(time('Milliseconds that half of the requests took at most. Absent without requests')),
      p99_ms: optional(time('Milliseconds that 99 of 100 requests took at most. Absent without requests')),
    },
    { description: 'The requests of the project that this server answered' },
  ),
);

export type Activity = ValueOf<typeof ActivityResponse>;

/** Gives the requests of a project in the last hour (docs/http.md#activity). */
export type ReadActivity = (project: string) => Activity;
