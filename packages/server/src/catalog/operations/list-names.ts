import { json } from '../../http/answers/answer.js';
import {
  Paging,
  pageParameters,
  pagingOf,
  prefixParameter,
  readLimit,
  readNamePart,
} from '../../http/parameters/paging.js';
import { readSwitch, switched } from '../../http/parameters/switch.js';
import type { Call } from '../../http/requests/call.js';
import { count, inQuery, jsonAnswer, operation } from '../../http/routing/operation.js';
import { list, named, object, optional, text } from '../../json/schema.js';
import type { NameQuery } from '../names.js';
import type { CatalogServices } from '../service.js';
import { viewOf } from '../view.js';
import { exactness, sizeMembers } from './size-members.js';

const BaseDetails = named(
  'BaseDetails',
  object({ name: text, items: optional(count), bytes: optional(count), ...exactness }),
);
const DriveDetails = named(
  'DriveDetails',
  object({ name: text, files: optional(count), bytes: optional(count), ...exactness }),
);

const names = {
  method: 'GET',
  access: 'read',
  names: 'narrowed',
  parameters: [
    ...pageParameters,
    prefixParameter,
    inQuery('details', '`true`: the size of each, too', switched),
  ],
  failures: [400],
} as const;

export const listBases = operation({
  ...names,
  path: '/v1/{project}/bases',
  summary: 'List bases',
  answers: {
    200: jsonAnswer(
      'A page of names',
      object({ paging: optional(Paging), bases: list(text), details: optional(list(BaseDetails)) }),
    ),
  },
  handle: async (call, { catalog }: CatalogServices) => {
    const hasDetails = readSwitch(call, 'details', false);
    const { names, more } = await catalog.listBases(call.project, readNameQuery(call), viewOf(call));
    const answer = { ...pagingOf(names, more), bases: names };
    if (!hasDetails) return json(200, answer);
    const sizes = await catalog.sizesOfBases(call.project, names, viewOf(call));
    const details = sizes.map(({ name, ...size }) => ({ name, ...sizeMembers(size, 'items') }));
    return json(200, { ...answer, details });
  },
});

export const listDrives = operation({
  ...names,
  path: '/v1/{project}/drives',
  summary: 'List drives',
  answers: {
    200: jsonAnswer(
      'A page of names',
      object({ paging: optional(Paging), drives: list(text), details: optional(list(DriveDetails)) }),
    ),
  },
  handle: async (call, { catalog }: CatalogServices) => {
    const hasDetails = readSwitch(call, 'details', false);
    const { names, more } = await catalog.listDrives(call.project, readNameQuery(call), viewOf(call));
    const answer = { ...pagingOf(names, more), drives: names };
    if (!hasDetails) return json(200, answer);
    const sizes = await catalog.sizesOfDrives(call.project, names, viewOf(call));
    const details = sizes.map(({ name, ...size }) => ({ name, ...sizeMembers(size, 'files') }));
    return json(200, { ...answer, details });
  },
});

function readNameQuery(call: Call): NameQuery {
  return {
    limit: readLimit(call),
    prefix: readNamePart(call, 'prefix'),
    last: readNamePart(call, 'last'),
  };
}
