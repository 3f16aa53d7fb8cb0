import { StoredItem } from '../../base/schemas.js';
import { DetailedFile } from '../../drive/schemas.js';
import { jsonText } from '../../http/answers/answer.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, list, object, oneOf, optional, text, truth } from '../../json/schema.js';
import { abandoned } from '../../request-error.js';
import {
  changesParameters,
  readLimit,
  readSelection,
  readWaitMs,
  withRepeatedNames,
} from '../changes-parameters.js';
import { collectChanges, counting, Room } from '../collect-changes.js';
import { cursorOf, type Position } from '../position.js';
import type { FeedServices, Reader } from '../service.js';
import { events, lines, type StreamFormat, streamAnswer } from '../stream-changes.js';

const Change = object({
  base: optional(described(text, 'With `key`: an item')),
  key: optional(text),
  drive: optional(described(text, 'With `name`: a file')),
  name: optional(text),
  type: oneOf('put', 'delete'),
  item: optional(StoredItem),
  file: optional(DetailedFile),
  tx: optional(described(text, 'The same for all changes of a transaction. Absent in a snapshot')),
});

const formats: readonly StreamFormat[] = [lines, events];

export const listChanges = operation({
  method: 'GET',
  path: '/v1/{project}/changes',
  access: 'read',
  names: 'narrowed',
  summary: 'List changes',
  description: 'With `Accept: application/x-ndjson` or `text/event-stream`: a stream that goes on',
  parameters: changesParameters,
  answers: {
    200: {
      ...jsonAnswer(
        'Changes, and where they end',
        object({
          changes: list(Change),
          cursor: described(text, 'Pass it as `since` to go on'),
          live: described(truth, 'True: nothing more is there for now'),
        }),
      ),
    },
  },
  failures: [400, 404, 410],
  handle: async (call, { feed }: FeedServices) => {
    const requested = await call.run(readSelection(withRepeatedNames(call.query)));
    call.mayLast();
    const format = formatOf(call);
    const limit = format === undefined ? readLimit(call) : Number.POSITIVE_INFINITY;
    const room = new Room(limit, (bytes) => call.run(counting(bytes)));
    const reader: Reader = {
      project: call.project,
      grant: call.grant,
      isOver: () => call.isAbandoned || call.hasAccessEnded,
      ...(format === undefined && { most: room.left }),
    };
    const since =
      (format === events ? call.headers['last-event-id']?.toString() : undefined) || call.query.get('since');
    const open = (after?: Position) => feed.follow(reader, requested, after ? cursorOf(after) : since);
    if (format === undefined) {
      const found = await collectChanges({ open }, room, readWaitMs(call));
      call.freeValues();
      if (found === undefined) throw abandoned();
      const { changes, position, isLive } = found;
      return jsonText(
        200,
        `{"changes":[${changes.join(',')}],"cursor":"${cursorOf(position)}","live":${isLive}}`,
      );
    }
    return await streamAnswer(open(), format);
  },
});

/** The stream that `Accept` names with the greatest weight; undefined for JSON, which must have a greater one. */
function formatOf({ headers }: Call): StreamFormat | undefined {
  const weights = new Map((headers.accept ?? '').split(',').map(weightOf));
  const weightOfType = (type: string) => weights.get(type) ?? 0;
  let format: StreamFormat | undefined;
  for (const each of formats) {
    if (weightOfType(each.type) > weightOfType(format?.type ?? '')) format = each;
  }
  return format !== undefined && weightOfType(format.type) < weightOfType('application/json')
    ? undefined
    : format;
}

/** A media range of `Accept` and its weight, from 0 for what is not wanted to 1. */
function weightOf(range: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [type, /^[01](?:\.\d*)?$/.test(weight ?? '') ? Number(weight) : 1];
}
