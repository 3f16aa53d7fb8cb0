import { hash } from 'node:crypto';
import { readPosition } from '../feed/position.js';
import type { Call } from '../http/requests/call.js';
import { inQuery } from '../http/routing/operation.js';
import { badField, forbidden } from '../request-error.js';

/** A request for what a base has, or what has changed (docs/http.md#electric). */
export interface ShapeRequest {
  readonly base: string;
  /** Where the feed goes on: `0` from the beginning, undefined from now on. */
  readonly since: string | undefined;
  /** Which copy the client has; undefined if it begins one. */
  readonly handle: string | undefined;
  /** Whether the client has no whole copy yet. */
  readonly isSnapshot: boolean;
  /** Whether the client has everything, and waits. */
  readonly isLive: boolean;
}

export const shapeParameters = [
  inQuery('table', 'The base'),
  inQuery(
    'offset',
    '`-1`: everything that is there. `now`: what changes from now on. Else that of the last answer',
  ),
  inQuery('handle', 'That of the last answer'),
  inQuery('live', '`true`: waits up to 20 seconds for a change'),
  inQuery('cursor', 'That of the last answer. It has no meaning here'),
];

/** What Electric has and a base has not. */
const notHere = [
  'where',
  'columns',
  'params',
  'live_sse',
  'experimental_live_sse',
  ...['where', 'params', 'limit', 'offset', 'order_by', 'where_expr', 'order_by_expr'].map(
    (name) => `subset__${name}`,
  ),
];

/** Throws the `RequestError` of a request that is malformed, or asks for what is not here, or for another's base. */
export function readShapeRequest({ query, grant }: Call): ShapeRequest {
  const base = query.get('table');
  if (!base) throw badField('table', 'required', 'must name a base');
  if (!grant.bases.has(base)) throw forbidden('beyond_scope', 'the base is beyond the scope of the key');
  for (const name of notHere) {
    const given = query.get(name);
    if (given !== undefined && given !== 'false') throw notPossible(name);
  }
  if ((query.get('replica') ?? 'default') !== 'default') throw notPossible('replica');
  if ((query.get('log') ?? 'full') !== 'full') throw notPossible('log');
  const offset = query.get('offset');
  if (!offset) throw badField('offset', 'required', 'must be -1, now, or that of an answer');
  const isLive = query.get('live') === 'true';
  if (offset === 'now') return { base, since: undefined, handle: undefined, isSnapshot: false, isLive };
  if (offset === '-1') return { base, since: '0', handle: undefined, isSnapshot: true, isLive: false };
  const isSnapshot = readPosition(offset, 'offset').snapshot !== undefined;
  const handle = query.get('handle');
  if (!handle) throw badField('handle', 'required', 'must be that of the answer with this offset');
  return { base, since: offset, handle, isSnapshot, isLive };
}

function notPossible(name: string) {
  return badField(
    name,
    'not_allowed',
    'a base is followed as it is, without this: see docs/http.md#electric',
  );
}

const markCharacters = 12;

/** What the handles of copies begin with that a key makes of a base: another key may see less of it. */
export function handleMark({ project, grant }: Pick<Call, 'project' | 'grant'>, base: string): string {
  return hash('sha256', JSON.stringify([project, base, grant.prefix]), 'hex').slice(0, markCharacters);
}
