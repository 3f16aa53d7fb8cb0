import { onlyName } from '../../access/name-set.js';
import { collectChanges, counting, Room } from '../../feed/collect-changes.js';
import { type Batch, cursorOf, type Position } from '../../feed/position.js';
import type { RequestedSelection } from '../../feed/selection.js';
import type { FeedServices, Reader } from '../../feed/service.js';
import { jsonHeaders } from '../../http/answers/answer.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { anything, described, list, number, object, optional, text } from '../../json/schema.js';
import { randomId } from '../../lib/random-id.js';
import { abandoned, RequestError } from '../../request-error.js';
import { electricWriting, mustRefetch, schema, snapshotEnd, upToDate } from '../messages.js';
import { handleMark, readShapeRequest, type ShapeRequest, shapeParameters } from '../shape-request.js';

/** Of the feed: an answer has twice as many messages at most. */
const maxChanges = 1000;
/** Clients wait 45 seconds for an answer. */
const waitMs = 20_000;
/** It goes back as a header. */
const handleForm = /^[\w-]{1,128}$/;

const Message = object({
  key: optional(described(text, 'The key of an item')),
  value: optional(described(anything, 'The item; of a deletion, only its key')),
  headers: described(
    object({
      operation: optional(text),
      txids: optional(list(number())),
      control: optional(text),
      xmin: optional(text),
      xmax: optional(text),
      xip_list: optional(list(text)),
    }),
    '`operation`: `insert` or `delete`, with the numbers of its transaction in `txids`. `control`: `snapshot-end`, with' +
      ' `xmin`, `xmax` and `xip_list`, `up-to-date` or `must-refetch`',
  ),
});
const Messages = list(Message);
const header = (description: string) => ({ description, schema: text });
const handleHeader = { 'electric-handle': header('Which copy the client has: pass it as `handle`') };

/** For unmodified clients of Electric: the reading half of its HTTP API. */
export const getShape = operation({
  method: 'GET',
  path: '/v1/{project}/shape',
  access: 'read',
  names: 'narrowed',
  section: 'electric',
  summary: 'Follow a base as a shape of Electric',
  parameters: shapeParameters,
  answers: {
    200: jsonAnswer('What there is, or what has changed', Messages, {
      headers: {
        ...handleHeader,
        'electric-offset': header('Where to go on: pass it as `offset`'),
        'electric-schema': header('The columns whose types are known'),
        'electric-cursor': header('Another one in each answer'),
        'electric-up-to-date': header('Present when nothing more is there for now'),
      },
    }),
    409: jsonAnswer('The copy is too old: the client begins again', Messages, { headers: handleHeader }),
  },
  failures: [400, 403, 404],
  handle: async (call, { feed }: FeedServices) => {
    const shape = readShapeRequest(call);
    call.mayLast();
    const mark = handleMark(call, shape.base);
    const handle = shape.handle ?? newHandle(mark);
    if (!handle.startsWith(mark) || !handleForm.test(handle)) return refetch(call, mark);
    const room = new Room(maxChanges, (bytes) => call.run(counting(bytes)));
    const reader: Reader = {
      project: call.project,
      grant: call.grant,
      isOver: () => call.isAbandoned || call.hasAccessEnded,
      most: room.left,
    };
    try {
      const open = (after?: Position) =>
        feed.follow(reader, selectionOfShape(shape), after ? cursorOf(after) : shape.since);
      const found = await collectChanges({ open }, room, shape.isLive ? waitMs : 0);
      call.freeValues();
      if (found === undefined) throw abandoned();
      return answerOf(call, { shape, handle, found });
    } catch (cause) {
      if (cause instanceof RequestError && cause.problems[0]?.code === 'cursor_too_old')
        return refetch(call, mark);
      throw cause;
    }
  },
});

function selectionOfShape({ base }: ShapeRequest): RequestedSelection {
  const bases = onlyName(base);
  return { bases, drives: undefined, prefix: '', query: undefined, values: true, writing: electricWriting };
}

interface Answered {
  readonly shape: ShapeRequest;
  readonly handle: string;
  readonly found: Batch;
}

function answerOf(call: Call, { shape, handle, found: { changes, position, isLive } }: Answered) {
  const messages = [...changes];
  if (shape.isSnapshot && position.snapshot === undefined) messages.push(snapshotEnd(position.next));
  if (isLive) messages.push(upToDate);
  const headers = [
    ...headOf(call, handle),
    'electric-offset',
    cursorOf(position),
    'electric-schema',
    schema,
    // A client that sees the same one again takes the answer for a cached one.
    'electric-cursor',
    randomId(),
    ...(isLive ? ['electric-up-to-date', 'true'] : []),
  ];
  return { status: 200 as const, headers, body: `[${messages.join(',')}]` };
}

/** Clients refuse a handle that was of no use before: it is another one each time. */
function refetch(call: Call, mark: string) {
  return { status: 409 as const, headers: headOf(call, newHandle(mark)), body: mustRefetch };
}

function newHandle(mark: string): string {
  return `${mark}-${randomId()}`;
}

const exposed = 'electric-handle, electric-offset, electric-schema, electric-cursor, electric-up-to-date';

function headOf({ headers: { origin } }: Call, handle: string): string[] {
  const forPages = origin === undefined ? [] : ['Access-Control-Expose-Headers', exposed];
  return [...jsonHeaders, ...forPages, 'electric-handle', handle];
}
