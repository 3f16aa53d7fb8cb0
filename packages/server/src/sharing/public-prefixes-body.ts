import { readBody } from '../drive/json-body.js';
import { nameProblem } from '../drive/name.js';
import type { Outline } from '../json/outline.js';
import { closed, integer, list, named, orNull, string } from '../json/schema.js';
import { JsonNumber, type JsonValue } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest } from '../request-error.js';
import { defaultMaxAgeSeconds, type PublicPrefixes } from './public-prefixes.js';

const maxPrefixes = 100;
const yearSeconds = 365 * 24 * 3600;
const maxShown = 100;

export const PublicPrefixesRequest = named(
  'PublicPrefixesRequest',
  closed({
    prefixes: list(string({ pattern: '/$' }), {
      maxItems: maxPrefixes,
      description: 'The files whose names begin with one of them are public',
    }),
    max_age: orNull(
      integer({
        minimum: 0,
        maximum: yearSeconds,
        default: defaultMaxAgeSeconds,
        description: 'For how many seconds caches may keep a public file; default 60',
      }),
    ),
  }),
);

const outline: Outline = {
  members: new Map([
    ['prefixes', { most: maxPrefixes, problem: badPrefixes }],
    ['max_age', { most: 0, problem: badMaxAge }],
  ]),
  unknown: (member) => badRequest(`${member.slice(0, maxShown)}: is not a member of this request`),
};

/**
 * Reads the body of Set Public Prefixes (docs/http.md#public-prefixes). Throws the 400 `RequestError` that names the
 * member that breaks a rule.
 */
export function* readPublicPrefixes(body: Buffer): Steps<PublicPrefixes> {
  const value = yield* readBody(body, { outline });
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  const prefixes = value.get('prefixes');
  if (!Array.isArray(prefixes)) throw badPrefixes();
  const read = prefixes.map((prefix, index) => readPrefix(prefix, `prefixes[${index}]`));
  return { prefixes: [...new Set(read)], maxAgeSeconds: readMaxAge(value.get('max_age')) };
}

/** A prefix ends in `/`, so that `site/` does not make `site-drafts/` public. What is before it could be a file's name. */
function readPrefix(prefix: JsonValue, member: string): string {
  if (typeof prefix !== 'string') throw badRequest(`${member}: must be a string`);
  if (!prefix.endsWith('/')) throw badRequest(`${member}: must end with "/"`);
  const problem = nameProblem(prefix.slice(0, -1));
  if (problem !== undefined) throw badRequest(`${member}: before its last "/", it ${problem}`);
  return prefix;
}

function readMaxAge(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return defaultMaxAgeSeconds;
  const seconds = value instanceof JsonNumber ? Number(value.text) : Number.NaN;
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= yearSeconds) return seconds;
  throw badMaxAge();
}

function badPrefixes(): Error {
  return badRequest(`prefixes: must be a list of 0 to ${maxPrefixes} strings`);
}

function badMaxAge(): Error {
  return badRequest(`max_age: must be whole seconds from 0 to ${yearSeconds}`);
}
