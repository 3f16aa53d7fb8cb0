import { readBody } from '../drive/json-body.js';
import { maxFileBytes } from '../drive/limits.js';
import { nameProblem } from '../drive/name.js';
import type { Outline } from '../json/outline.js';
import {
  anyOf,
  closed,
  described,
  integer,
  list,
  named,
  oneOf,
  only,
  optional,
  string,
  text,
  truth,
} from '../json/schema.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import type { Link } from './link.js';

/** The links that a request asks for: one for each name. */
export interface LinksBody {
  readonly names: readonly string[];
  readonly expiresInSeconds: number;
  /** What all links have in common. */
  readonly allowed: Omit<Link, 'project' | 'drive' | 'name' | 'expiresAtSeconds'>;
}

const maxNames = 1000;
const weekSeconds = 7 * 24 * 3600;
const membersOfAll = {
  name: optional(text),
  names: optional(list(text, { minItems: 1, maxItems: maxNames })),
  expires_in: integer({
    minimum: 1,
    maximum: weekSeconds,
    description: 'Seconds for which the links are valid',
  }),
};

/** The members that each method has. */
const requestFor = {
  GET: closed({
    ...membersOfAll,
    method: only('GET'),
    disposition: optional(
      described(oneOf('inline', 'attachment'), 'Whether a browser shows or saves the file; default `inline`'),
    ),
  }),
  POST: closed({
    ...membersOfAll,
    method: only('POST'),
    max_bytes: optional(
      integer({
        minimum: 0,
        maximum: maxFileBytes,
        description: 'The maximum size of the file, up to 10 MiB, which is the default',
      }),
    ),
    content_type: optional(string({ description: '`image/png` or `image/*`; default: any' })),
    overwrite: optional(described(truth, 'Whether an existing file is replaced; default false')),
  }),
};

export const CreateLinksRequest = named(
  'CreateLinksRequest',
  described(anyOf(requestFor.GET, requestFor.POST), 'Either `name` or `names`'),
);

const typeRule = /^[\w!#$&\-^.+]+\/(?:[\w!#$&\-^.+]+|\*)$/;
const maxShown = 100;

/** Which members there are depends on the method, which may come last. */
const outline: Outline = {
  members: new Map([
    ['names', { most: maxNames, problem: badNames }],
    ['name', { most: 0, problem: () => badName('name') }],
    ['method', { most: 0, problem: badMethod }],
    ['expires_in', { most: 0, problem: () => badWhole('expires_in', 1, weekSeconds) }],
  ]),
};

/**
 * Reads the body of Create Links (docs/http.md#create-links). A constraint that the method does not have is refused, so
 * that nobody relies on it. Throws the 400 `RequestError` that names the member that breaks a rule.
 */
export function* readLinksBody(body: Buffer): Steps<LinksBody> {
  const value = yield* readBody(body, { outline });
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  const method = value.get('method');
  if (method !== 'GET' && method !== 'POST') throw badMethod();
  for (const member of value.keys()) {
    if (!Object.hasOwn(requestFor[method].properties, member)) {
      throw badRequest(`${member.slice(0, maxShown)}: is not a member of a request for ${method} links`);
    }
  }
  return {
    names: readNames(value),
    expiresInSeconds: readWhole(value, 'expires_in', 1, weekSeconds),
    allowed:
      method === 'GET'
        ? { method, disposition: readDisposition(value.get('disposition')) }
        : {
            method,
            maxBytes: value.has('max_bytes') ? readWhole(value, 'max_bytes', 0, maxFileBytes) : maxFileBytes,
            contentType: readType(value.get('content_type')),
            overwrite: readOverwrite(value.get('overwrite')),
          },
  };
}

function readNames(value: JsonObject): readonly string[] {
  if (value.has('name') === value.has('names')) throw badRequest('name: give either name or names');
  if (value.has('name')) return [readName(value.get('name'), 'name')];
  const names = value.get('names');
  if (!Array.isArray(names) || names.length < 1) throw badNames();
  return names.map((name, index) => readName(name, `names[${index}]`));
}

function readName(name: JsonValue | undefined, member: string): string {
  if (typeof name !== 'string') throw badName(member);
  const problem = nameProblem(name);
  if (problem !== undefined) throw badRequest(`${member}: ${problem}`);
  return name;
}

function readWhole(value: JsonObject, member: string, least: number, most: number): number {
  const given = value.get(member);
  const number = given instanceof JsonNumber ? Number(given.text) : Number.NaN;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw badWhole(member, least, most);
}

function badWhole(member: string, least: number, most: number): Error {
  return badRequest(`${member}: must be a whole number from ${least} to ${most}`);
}

function badNames(): Error {
  return badRequest(`names: must be a list of 1 to ${maxNames} strings`);
}

function badName(member: string): Error {
  return badRequest(`${member}: must be a string`);
}

function badMethod(): Error {
  return badRequest('method: must be GET or POST');
}

function readDisposition(value: JsonValue | undefined): 'inline' | 'attachment' {
  if (value === undefined || value === 'inline') return 'inline';
  if (value === 'attachment') return value;
  throw badRequest('disposition: must be inline or attachment');
}

function readType(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length <= 255 && typeRule.test(value)) return value.toLowerCase();
  throw badRequest('content_type: must be a type such as image/png, or image/*');
}

function readOverwrite(value: JsonValue | undefined): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw badRequest('overwrite: must be true or false');
}
