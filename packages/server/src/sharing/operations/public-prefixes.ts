import { nameProblem } from '../../drive/files/name.js';
import { jsonBodyOf, readBody } from '../../drive/request-body.js';
import { json } from '../../http/answers/answer.js';
import { listOf, objectOf, outlineOf, textOf, wholeOf } from '../../http/requests/bodies/members.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { closed, integer, list, named, object, orNull, string, text } from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type BrokenRule, broken } from '../../request-error.js';
import { defaultMaxAgeSeconds, type PublicPrefixes } from '../public-prefixes.js';
import type { SharingServices } from '../services.js';

const maxPrefixes = 100;
const yearSeconds = 365 * 24 * 3600;

const prefixList = list(string({ pattern: '/$' }), {
  maxItems: maxPrefixes,
  description: 'The files whose names begin with one of them are public',
});
const age = integer({
  minimum: 0,
  maximum: yearSeconds,
  default: defaultMaxAgeSeconds,
  description: 'For how many seconds caches may keep a public file; default 60',
});

const PublicPrefixesRequest = named(
  'PublicPrefixesRequest',
  closed({ prefixes: prefixList, max_age: orNull(age) }),
);

const readList = (value: JsonValue | undefined) => listOf(value, 'prefixes', prefixList, 'strings');
const readMaxAge = (value: JsonValue) =>
  wholeOf(value, 'max_age', age, `whole seconds from 0 to ${yearSeconds}`);
const outline = outlineOf(PublicPrefixesRequest, { prefixes: readList, max_age: readMaxAge });

/**
 * Reads the body of Set Public Prefixes (docs/http.md#public-prefixes). Throws the 400 `RequestError` that names the
 * member that breaks a rule.
 */
export function* readPublicPrefixes(body: Buffer): Steps<PublicPrefixes> {
  const value = objectOf(yield* readBody(body, { outline }));
  const prefixes = readList(value.get('prefixes'));
  const read = prefixes.map((prefix, index) => textOf(prefix, `prefixes[${index}]`, prefixProblem));
  const maxAge = value.get('max_age') ?? null;
  return {
    prefixes: [...new Set(read)],
    maxAgeSeconds: maxAge === null ? defaultMaxAgeSeconds : readMaxAge(maxAge),
  };
}

/** A prefix ends in `/`, so that `site/` does not make `site-drafts/` public. What is before it could be a file's name. */
function prefixProblem(prefix: string): BrokenRule | undefined {
  if (!prefix.endsWith('/')) return broken('invalid_value', 'must end with "/"');
  const problem = nameProblem(prefix.slice(0, -1));
  return problem && broken(problem.code, `before its last "/", it ${problem.rule}`);
}

/** It fits a hundred prefixes of 1,024 bytes, with each byte written as `\u00XX`. */
const maxBodyBytes = 1024 * 1024;

const ofPrefixes = {
  path: '/v1/{project}/{drive}/public',
  section: 'public-prefixes',
  answers: {
    200: jsonAnswer(
      'The prefixes',
      named('PublicPrefixesResponse', object({ prefixes: list(text), max_age: integer({ minimum: 0 }) })),
    ),
  },
} as const;

export const getPublicPrefixes = operation({
  ...ofPrefixes,
  method: 'GET',
  access: 'read',
  summary: 'Get the public prefixes of a drive',
  handle: async (call, { prefixes }: SharingServices) => answer(await prefixes.read(call.project, call.name)),
});

export const setPublicPrefixes = operation({
  ...ofPrefixes,
  method: 'PUT',
  access: 'full',
  summary: 'Set the public prefixes of a drive',
  request: jsonBody(PublicPrefixesRequest, { tooLarge: 'page' }),
  handle: async (call, { prefixes }: SharingServices) => {
    const changed = await jsonBodyOf(call, maxBodyBytes, readPublicPrefixes);
    await prefixes.write(call.project, call.name, changed);
    return answer(changed);
  },
});

function answer({ prefixes, maxAgeSeconds }: PublicPrefixes) {
  return json(200, { prefixes, max_age: maxAgeSeconds });
}
