import { json } from '../../http/answers/answer.js';
import {
  Paging,
  pageParameters,
  pagingOf,
  prefixParameter,
  readLimit,
  readNamePart,
} from '../../http/parameters/paging.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, object, optional, text } from '../../json/schema.js';
import type { NameQuery } from '../names.js';
import type { CatalogServices } from '../service.js';
import { viewOf } from '../view.js';

const names = {
  method: 'GET',
  access: 'read',
  names: 'narrowed',
  parameters: [...pageParameters, prefixParameter],
  failures: [400],
} as const;

export const listBases = operation({
  ...names,
  path: '/v1/{project}/bases',
  summary: 'List bases',
  answers: { 200: jsonAnswer('A page of names', object({ paging: optional(Paging), bases: list(text) })) },
  handle: async (call, { catalog }: CatalogServices) => {
    const page = await catalog.listBases(call.project, readNameQuery(call), viewOf(call));
    return json(200, { ...pagingOf(page.names, page.more), bases: page.names });
  },
});

export const listDrives = operation({
  ...names,
  path: '/v1/{project}/drives',
  summary: 'List drives',
  answers: { 200: jsonAnswer('A page of names', object({ paging: optional(Paging), drives: list(text) })) },
  handle: async (call, { catalog }: CatalogServices) => {
    const page = await catalog.listDrives(call.project, readNameQuery(call), viewOf(call));
    return json(200, { ...pagingOf(page.names, page.more), drives: page.names });
  },
});

function readNameQuery(call: Call): NameQuery {
  return {
    limit: readLimit(call),
    prefix: readNamePart(call, 'prefix'),
    last: readNamePart(call, 'last'),
  };
}
