import type { PublicPrefixesResponse } from 'basedrive-client';
import { jsonBody, pageWhenTooLarge } from '../drive/request-body.js';
import { json } from '../http/answer.js';
import type { RouteTable } from '../http/call.js';
import { runInSlices } from '../lib/time-slices.js';
import type { PublicPrefixes, PublicPrefixStore } from './public-prefixes.js';
import { readPublicPrefixes } from './public-prefixes-body.js';

/** It fits a hundred prefixes of 1,024 bytes, with each byte written as `\u00XX`. */
const maxBodyBytes = 1024 * 1024;

/** The routes of docs/http.md#public-prefixes, below `/v1/{project}/{drive}`. */
export function publicPrefixesRoutes(store: PublicPrefixStore): RouteTable {
  return {
    '/public': {
      GET: async (call) => answer(await store.read(call.project, call.name)),

      PUT: pageWhenTooLarge(async (call) => {
        const prefixes = await runInSlices(readPublicPrefixes(await jsonBody(call, maxBodyBytes)));
        await store.write(call.project, call.name, prefixes);
        return answer(prefixes);
      }),
    },
  };
}

function answer({ prefixes, maxAgeSeconds }: PublicPrefixes) {
  return json<PublicPrefixesResponse>(200, { prefixes, max_age: maxAgeSeconds });
}
