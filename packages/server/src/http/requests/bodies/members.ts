import type { MemberOutline, Outline } from '../../../json/outline.js';
import { JsonError, type JsonRules, readJson } from '../../../json/parse.js';
import type { Schema } from '../../../json/schema.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../../json/value.js';
import type { Steps } from '../../../lib/concurrency/time-slices.js';
import type { ProblemCode } from '../../../problem-codes.js';
import { type BrokenRule, badField, RequestError, refused } from '../../../request-error.js';

/**
 * How the bodies of requests are read. Which members there are, and their limits, say the schemas. All functions throw
 * the 400 `RequestError` that names the field (`path`) and the rule.
 */

/** Parses a body. `describe` makes the message from that of the parser. */
export function* parseBody(
  body: Buffer,
  rules: JsonRules,
  describe = (problem: string) => `body: ${problem}`,
): Steps<JsonValue> {
  try {
    return yield* readJson(body, rules);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    const { code, path, message } = cause;
    throw new RequestError([{ code, ...(path !== '' && { path }), message: describe(message) }]);
  }
}

/** Gives the value of a member, or throws what is wrong with it. */
type Reader<Value> = (value: JsonValue, path: string) => Value;

export function objectOf(value: JsonValue): JsonObject {
  if (value instanceof Map) return value;
  throw refused('wrong_type', 'body: must be a JSON object');
}

/**
 * What the parser compares a body with while it reads it: each member has as many elements as the schema allows, and a
 * closed schema has no others.
 */
export function outlineOf(
  { properties = {}, additionalProperties }: Schema,
  readers: Readonly<Record<string, Reader<unknown>>>,
): Outline {
  const members = Object.entries(readers).map(([name, read]): [string, MemberOutline] => {
    const most = properties[name]?.maxItems ?? 0;
    const tooLarge = most === 0 ? new Map() : Array<JsonValue>(most + 1);
    return [name, { most, problem: () => errorOf(() => read(tooLarge, name)) }];
  });
  return {
    members: new Map(members),
    ...(additionalProperties === false && { unknown: (name) => unknownMember(name) }),
  };
}

function errorOf(read: () => unknown): Error {
  try {
    read();
  } catch (cause) {
    return cause as Error;
  }
  throw new Error('A value that is too large was read');
}

const shownCharacters = 100;

/** A member that the object must not have. Its name may be as long as the body. */
export function unknownMember(
  name: string,
  { rule = 'is not a member of this request', within = '' } = {},
): RequestError {
  return badField(within + name.slice(0, shownCharacters), 'unknown_member', rule);
}

/** Refuses members that the schema does not have: a misspelt one would be ignored. */
export function refuseOthers(
  object: JsonObject,
  { properties = {} }: Schema,
  about?: Parameters<typeof unknownMember>[1],
): void {
  for (const name of object.keys()) if (!Object.hasOwn(properties, name)) throw unknownMember(name, about);
}

/** The members that the object has, each as its reader gives it. */
export function membersOf<Readers extends Readonly<Record<string, Reader<unknown>>>>(
  object: JsonObject,
  readers: Readers,
): { readonly [Name in keyof Readers]?: ReturnType<Readers[Name]> } {
  const found = Object.entries(readers).filter(([name]) => object.has(name));
  const read = found.map(([name, reader]) => [name, reader(object.get(name) as JsonValue, name)]);
  return Object.fromEntries(read);
}

export function flagOf(value: JsonValue, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw badField(path, 'wrong_type', 'must be true or false');
}

/** A whole number between the limits of the schema. `what` is what the message calls it. */
export function wholeOf(
  value: JsonValue | undefined,
  path: string,
  { minimum = 0, maximum }: Schema<number>,
  what = `a whole number from ${minimum} to ${maximum}`,
): number {
  const isNumber = value instanceof JsonNumber;
  const number = isNumber ? Number(value.text) : Number.NaN;
  const most = maximum ?? Number.POSITIVE_INFINITY;
  if (Number.isInteger(number) && number >= minimum && number <= most) return number;
  throw badField(path, isNumber ? 'out_of_range' : typeFault(value), `must be ${what}`);
}

/** One of the texts that the schema has. */
export function choiceOf<Choice>(
  value: JsonValue | undefined,
  path: string,
  { enum: choices = [] }: Schema<Choice>,
): Choice {
  if (choices.includes(value)) return value as Choice;
  const named = choices.filter((choice) => choice !== '');
  const others = named.length > 1 ? `${named.slice(0, -1).join(', ')} or ` : '';
  const rule = `must be ${others}${named.at(-1)}`;
  throw badField(path, typeof value === 'string' ? 'invalid_value' : typeFault(value), rule);
}

/** A list with as many elements as the schema allows. `what` is what the message calls them. */
export function listOf(
  value: JsonValue | undefined,
  path: string,
  { minItems = 0, maxItems = 0 }: Schema<readonly unknown[]>,
  what: string,
): readonly JsonValue[] {
  const isList = Array.isArray(value);
  if (isList && value.length >= minItems && value.length <= maxItems) return value;
  const code = !isList ? typeFault(value) : value.length === 0 ? 'empty' : 'too_many';
  throw badField(path, code, `must be a list of ${minItems} to ${maxItems} ${what}`);
}

/** A text that breaks no rule of `problemOf`. `rule` is that for values of other types. */
export function textOf(
  value: JsonValue | undefined,
  path: string,
  problemOf: (text: string) => BrokenRule | undefined,
  rule = 'must be a string',
): string {
  if (typeof value !== 'string') throw badField(path, typeFault(value), rule);
  const problem = problemOf(value);
  if (problem !== undefined) throw badField(path, problem.code, problem.rule);
  return value;
}

/** What is wrong with a value of the wrong type. */
export function typeFault(value: JsonValue | undefined): ProblemCode {
  return value === undefined ? 'required' : 'wrong_type';
}
