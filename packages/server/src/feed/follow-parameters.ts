import { ItemQuery } from '../base/schemas.js';
import { flagOf, objectOf, parseBody, textOf, unknownMember } from '../http/requests/bodies/members.js';
import type { JsonRules } from '../json/parse.js';
import { list, orNull, text, truth } from '../json/schema.js';
import { stringifyJson } from '../json/stringify.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { runAtOnce } from '../lib/concurrency/time-slices.js';
import { badField } from '../request-error.js';
import { readSelection } from './changes-parameters.js';

/** What of a project is followed, as the parameters of List Changes. */
export type Parameters = Readonly<Record<string, string>>;

/** The members of a body that say what is followed. */
export const followedMembers = {
  bases: orNull(list(text)),
  drives: orNull(list(text)),
  prefix: orNull(text),
  query: orNull(ItemQuery),
  values: orNull(truth),
};

type Reader = (value: JsonValue, name: string) => string;

const readers: Readonly<Record<string, Reader>> = {
  bases: namesOf,
  drives: namesOf,
  prefix: readText,
  query: (value) => stringifyJson(value),
  values: (value, name) => String(flagOf(value, name)),
};

const maxDepth = 30;
const maxValues = 2000;

/** Parses a short body of the feed. Throws the 400 `RequestError`. */
export function parseShortBody(body: Buffer, maxBytes: number): JsonObject {
  if (body.length === 0) return new Map();
  const rules: JsonRules = { maxDepth, maxValues, maxStringCharacters: maxBytes, numbers: 'short' };
  return objectOf(runAtOnce(parseBody(body, rules)));
}

/**
 * Reads the members that say what is followed, and `others`. `null` means that a member is absent. Throws a 400
 * `RequestError`.
 */
export function readFollowed(body: JsonObject, others: Readonly<Record<string, Reader>> = {}): Parameters {
  const parameters: Record<string, string> = {};
  for (const [name, value] of body) {
    const known = Object.hasOwn(readers, name) ? readers : others;
    const read = Object.hasOwn(known, name) ? known[name] : undefined;
    if (read === undefined) throw unknownMember(name);
    if (value !== null) parameters[name] = read(value, name);
  }
  runAtOnce(readSelection({ get: (name) => parameters[name] }));
  return parameters;
}

export function readText(value: JsonValue, name: string): string {
  return textOf(value, name, () => undefined);
}

function namesOf(value: JsonValue, name: string): string {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(','));
  if (isList) return value.join(',');
  throw badField(name, 'wrong_type', 'must be a list of names');
}
