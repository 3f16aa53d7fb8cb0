import { count, seconds } from '../http/routing/operation.js';
import {
  described,
  integer,
  list,
  named,
  number,
  object,
  optional,
  text,
  truth,
  type ValueOf,
} from '../json/schema.js';

const time = (description: string) => number({ minimum: 0, description });
const p50 = optional(time('Milliseconds that half of the requests took at most. Absent without requests'));
const p99 = optional(time('Milliseconds that 99 of 100 requests took at most. Absent without requests'));
const failed = described(count, 'Of these, those with 500 or a higher status');

export const ActivityResponse = named(
  'ActivityResponse',
  object(
    {
      minutes: described(count, 'The time that is counted: the minute that has begun and those before it'),
      requests: count,
      failed,
      p50_ms: p50,
      p99_ms: p99,
    },
    { description: 'The requests of the project that this server answered' },
  ),
);

export type Activity = ValueOf<typeof ActivityResponse>;

const ActivityPoint = named(
  'ActivityPoint',
  object(
    {
      at: described(seconds, 'When it began, in whole seconds since 1970 UTC'),
      requests: count,
      refused: described(count, 'Of these, those with 400 to 499'),
      failed,
      p50_ms: p50,
      p99_ms: p99,
    },
    { description: 'The requests of a minute or a quarter of an hour' },
  ),
);

export type ActivityPoint = ValueOf<typeof ActivityPoint>;

const LatestRequest = named(
  'LatestRequest',
  object({
    at: described(seconds, 'When it was answered'),
    ms: time('Milliseconds until the answer was sent'),
    method: text,
    path: described(text, 'With the names of the project and of the base or drive. `{key}` stands for a key'),
    status: integer({ minimum: 100, maximum: 599 }),
    key_id: described(text, 'The id of the key, as in List Keys'),
  }),
);

export type LatestRequest = ValueOf<typeof LatestRequest>;

const SlowQuery = named(
  'SlowQuery',
  object(
    {
      base: text,
      conditions: list(described(text, 'A path and an operator, without the operand')),
      order: list(text),
      counted: described(truth, 'Whether it counted all matches'),
      times: described(count, 'How often such a query was slow'),
      at: described(seconds, 'When it was answered last'),
      max_ms: time('Milliseconds of the slowest one'),
      items: described(count, 'Items that the latest one read'),
      index: optional(described(text, 'The index that the latest one used')),
      suggestion: optional(list(text, { description: 'The fields of an index that would help' })),
    },
    { description: 'Queries that differ only in their operands' },
  ),
);

export type SlowQuery = ValueOf<typeof SlowQuery>;

const StoragePoint = named(
  'StoragePoint',
  object({
    at: described(seconds, 'When it was measured'),
    items: count,
    item_bytes: count,
    files: count,
    file_bytes: count,
    exact: described(truth, 'False if a part was counted earlier, or left out'),
  }),
);

export type StoragePoint = ValueOf<typeof StoragePoint>;

export const ActivityDetails = named(
  'ActivityDetails',
  object({
    since: described(seconds, 'The start of the server: nothing from before it is known'),
    hour: list(ActivityPoint, { description: 'The minutes of the last hour that had requests' }),
    day: list(ActivityPoint, { description: 'The quarters of an hour of the last day that had requests' }),
    latest: list(LatestRequest, { description: 'Up to 100 requests, the newest first' }),
    slow_queries: list(SlowQuery, { description: 'Up to 50, those that were slow last first' }),
    storage: list(StoragePoint, { description: 'Up to 400 points, the oldest first' }),
  }),
);

export type ActivityDetails = ValueOf<typeof ActivityDetails>;

/** What this server knows of the requests of a project (docs/http.md#activity). */
export interface ActivityReader {
  /** The requests of the last hour, in sum. */
  of(project: string): Activity;
  detailsOf(project: string): ActivityDetails;
}
