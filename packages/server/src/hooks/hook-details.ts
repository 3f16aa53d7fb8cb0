import { ItemQuery } from '../base/schemas.js';
import { count, seconds } from '../http/routing/operation.js';
import {
  described,
  list,
  named,
  object,
  oneOf,
  optional,
  text,
  truth,
  type ValueOf,
} from '../json/schema.js';
import { type Hook, lagSeconds } from './hook.js';
import { type SendFailure, sendFailures } from './send.js';

/** What became of a message: of the last one, and of a test. */
export const outcomeMembers = {
  status: optional(described(count, 'The status of the answer')),
  error: optional(described(oneOf(...sendFailures), 'Why there is no answer')),
};

const states = ['active', 'failing', 'paused', 'gone', 'too_old', 'key_ended'] as const;

export const hookDetails = {
  id: text,
  url: text,
  name: optional(text),
  key: described(text, 'The id of the key that made it'),
  created: seconds,
  bases: optional(list(text)),
  drives: optional(list(text)),
  prefix: optional(text),
  query: optional(ItemQuery),
  values: optional(truth),
  state: described(oneOf(...states), 'docs/http.md#states-of-a-webhook'),
  lag: described(count, 'For how many seconds the oldest change waits that was not delivered'),
  cursor: described(text, 'What was before it has been delivered'),
  last: optional(object({ at: described(seconds, 'When the last message was sent'), ...outcomeMembers })),
  failing_since: optional(seconds),
  failures: optional(described(count, 'How often in a row')),
  next_attempt: optional(seconds),
  stopped_since: optional(seconds),
};

export const HookDetails = named('Webhook', object(hookDetails));

/**
 * A webhook in an answer, as JSON text (docs/http.md#list-webhooks). `more`: members that only this answer has. Its query has
 * every digit of every number, as it was sent.
 */
export function detailsText(
  hook: Hook,
  isKeyValid: boolean,
  nowSeconds: number,
  more: Readonly<Record<string, string>> = {},
): string {
  const details = { ...detailsOf(hook, isKeyValid, nowSeconds), ...more };
  const members = Object.entries(details)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = name === 'query' ? hook.followed.query : JSON.stringify(value);
      return `${JSON.stringify(name)}:${text}`;
    });
  return `{${members.join(',')}}`;
}

type Details = Omit<ValueOf<typeof HookDetails>, 'query'> & { readonly query?: string | undefined };

/** The same with the query as its text. Members that say nothing are undefined. */
function detailsOf(hook: Hook, isKeyValid: boolean, nowSeconds: number): Details {
  const { id, url, name, keyId, createdSeconds, followed, cursor, last, failing, stop } = hook;
  const { bases, drives, prefix, query, values } = followed;
  const namesOf = (names: string | undefined) => names?.split(',').filter((each) => each !== '');
  const state = stop?.why ?? (!isKeyValid ? 'key_ended' : failing === undefined ? 'active' : 'failing');
  const nextMs = last && failing && last.atMs + failing.pauseMs;
  return {
    id,
    url,
    name,
    key: keyId,
    created: createdSeconds,
    bases: namesOf(bases),
    drives: namesOf(drives),
    prefix,
    query,
    values: values === undefined ? undefined : values === 'true',
    state,
    lag: lagSeconds(hook, nowSeconds),
    cursor,
    last: last && {
      at: Math.floor(last.atMs / 1000),
      status: last.status,
      error: last.failure && toldOf(last.failure),
    },
    failing_since: failing?.sinceSeconds,
    failures: failing?.times,
    next_attempt: nextMs && Math.ceil(nextMs / 1000),
    stopped_since: stop?.sinceSeconds,
  };
}

/** What earlier versions have stored may say that a name was not found. */
function toldOf(failure: SendFailure): SendFailure {
  return sendFailures.includes(failure) ? failure : 'address_refused';
}
