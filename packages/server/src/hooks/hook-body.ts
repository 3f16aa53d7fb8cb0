import { isIP } from 'node:net';
import {
  followedMembers,
  type Parameters,
  parseShortBody,
  readFollowed,
  readText,
} from '../feed/follow-parameters.js';
import { readPosition } from '../feed/position.js';
import { flagOf, refuseOthers, textOf } from '../http/requests/bodies/members.js';
import { closed, described, optional, orNull, string, text, truth } from '../json/schema.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { hasControlCharacter } from '../lib/text/control-characters.js';
import { type BrokenRule, badField, broken } from '../request-error.js';
import type { MayReach } from './reachable.js';
import { hostOf } from './send.js';

export const maxHookBodyBytes = 64 * 1024;
const maxUrlCharacters = 2048;
const maxNameCharacters = 100;

const url = string({
  maxLength: maxUrlCharacters,
  description: 'Where changes are sent: `https://` or `http://`',
});
const name = string({ minLength: 1, maxLength: maxNameCharacters, description: 'What people call it' });
const since = described(
  text,
  'Where it begins: `now`, `0` for everything that is there and then what changes, or a cursor',
);

export const CreateHookRequest = closed({
  url,
  name: orNull(name),
  ...followedMembers,
  since: orNull(since),
});
export const ChangeHookRequest = closed({
  url: optional(url),
  name: orNull(name),
  paused: optional(truth),
  since: optional(since),
});

/** What a new webhook is to be. */
export interface NewHook {
  readonly url: string;
  readonly name: string | undefined;
  readonly followed: Parameters;
  /** Where it begins: `0` or a cursor; undefined: now. */
  readonly since: string | undefined;
}

/** What is to become of a webhook. What is absent stays. */
export interface HookChange {
  readonly url?: string;
  /** Undefined for none. */
  readonly name?: { readonly is: string | undefined };
  readonly isPaused?: boolean;
  readonly since?: { readonly is: string | undefined };
}

/** Reads the body of Create Webhook. Throws a 400 `RequestError`. */
export function readNewHook(body: Buffer, mayReach: MayReach): NewHook {
  const object = parseShortBody(body, maxHookBodyBytes);
  const others = { url: readText, name: readText, since: readText };
  const { url: _, name: _name, since: _since, ...followed } = readFollowed(object, others);
  refuseNothing(followed);
  return {
    url: readUrl(object.get('url'), mayReach),
    name: readName(object.get('name')),
    followed,
    since: readSince(object.get('since')),
  };
}

/** A webhook of empty lists would send nothing. Next to a list with names, an empty one says what the feed does without it. */
function refuseNothing({ bases, drives }: Parameters): void {
  const named = [bases, drives].filter((names) => names !== undefined);
  if (named.length === 0 || named.some((names) => /[^,]/.test(names))) return;
  const field = bases === undefined ? 'drives' : 'bases';
  throw badField(field, 'empty', 'must have a name, or be absent: the webhook would send nothing');
}

/** Reads the body of Change Webhook. Throws a 400 `RequestError`. */
export function readHookChange(body: Buffer, mayReach: MayReach): HookChange {
  const object: JsonObject = parseShortBody(body, maxHookBodyBytes);
  refuseOthers(object, ChangeHookRequest);
  const given = (member: string) => object.has(member);
  return {
    ...(given('url') && { url: readUrl(object.get('url'), mayReach) }),
    ...(given('name') && { name: { is: readName(object.get('name')) } }),
    ...(given('paused') && { isPaused: flagOf(object.get('paused') as JsonValue, 'paused') }),
    ...(given('since') && { since: { is: readSince(object.get('since')) } }),
  };
}

function readUrl(given: JsonValue | undefined, mayReach: MayReach): string {
  return textOf(given, 'url', (value) => urlProblem(value, mayReach), urlRule);
}

const urlRule = `must be an address that begins with https:// or http://, of at most ${maxUrlCharacters} characters`;

/** Names are resolved when something is sent: here only what is no name can be refused. */
function urlProblem(value: string, mayReach: MayReach): BrokenRule | undefined {
  if (value.length > maxUrlCharacters) return broken('too_long', urlRule);
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return broken('invalid_value', urlRule);
  const parsed = new URL(value);
  if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '')
    return broken('invalid_value', 'must have no user, password or fragment');
  const { port } = parsed;
  if (port !== '' && Number(port) < 1024 && !['80', '443'].includes(port))
    return broken('not_allowed', 'must have the port 80, 443, or one from 1024 on');
  const host = hostOf(parsed);
  if (isIP(host) !== 0 && !mayReach(host))
    return broken('not_allowed', 'must lead to an address that webhooks may reach');
  return undefined;
}

function readName(given: JsonValue | undefined): string | undefined {
  if (given === undefined || given === null) return undefined;
  const rule = `must be a text of 1 to ${maxNameCharacters} characters without control characters`;
  return textOf(
    given,
    'name',
    (value) => {
      if (value === '') return broken('empty', rule);
      if (value.length > maxNameCharacters) return broken('too_long', rule);
      return hasControlCharacter(value) ? broken('invalid_text', rule) : undefined;
    },
    rule,
  );
}

function readSince(given: JsonValue | undefined): string | undefined {
  if (given === undefined || given === null || given === 'now') return undefined;
  if (typeof given !== 'string') throw badField('since', 'wrong_type', 'must be a string');
  if (given !== '0') readPosition(given, 'since');
  return given;
}
