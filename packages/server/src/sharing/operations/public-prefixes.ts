import { jsonBodyOf } from '../../drive/request-body.js';
import { json } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { integer, list, named, object, text } from '../../json/schema.js';
import type { PublicPrefixes } from '../public-prefixes.js';
import { PublicPrefixesRequest, readPublicPrefixes } from '../public-prefixes-body.js';
import type { SharingServices } from '../services.js';

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
