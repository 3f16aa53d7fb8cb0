import { json } from '../../http/answers/answer.js';
import { booleanText, readBoolean } from '../../http/parameters/boolean-parameter.js';
import { namesPage, pageAnswer, pagingOf, readNamesPage } from '../../http/parameters/paging.js';
import { count, inQuery, operation } from '../../http/routing/operation.js';
import { list, named, object, optional, text } from '../../json/schema.js';
import type { CatalogServices, NamedSize } from '../service.js';
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
  ...namesPage,
  method: 'GET',
  access: 'read',
  names: 'narrowed',
  parameters: [...namesPage.parameters, inQuery('details', '`true`: the size of each, too', booleanText)],
} as const;

export const listBases = operation({
  ...names,
  path: '/v1/{project}/bases',
  summary: 'List bases',
  answers: {
    200: pageAnswer('A page of names', { bases: list(text), details: optional(list(BaseDetails)) }),
  },
  handle: async (call, { catalog }: CatalogServices) => {
    const hasDetails = readBoolean(call, 'details', false);
    const view = viewOf(call);
    const { names, more } = await catalog.listBases(call.project, readNamesPage(call), view);
    const sizes = hasDetails ? await catalog.sizesOfBases(call.project, names, view) : undefined;
    return json(200, { ...pagingOf(names, more), bases: names, ...detailsOf(sizes, 'items') });
  },
});

export const listDrives = operation({
  ...names,
  path: '/v1/{project}/drives',
  summary: 'List drives',
  answers: {
    200: pageAnswer('A page of names', { drives: list(text), details: optional(list(DriveDetails)) }),
  },
  handle: async (call, { catalog }: CatalogServices) => {
    const hasDetails = readBoolean(call, 'details', false);
    const view = viewOf(call);
    const { names, more } = await catalog.listDrives(call.project, readNamesPage(call), view);
    const sizes = hasDetails ? await catalog.sizesOfDrives(call.project, names, view) : undefined;
    return json(200, { ...pagingOf(names, more), drives: names, ...detailsOf(sizes, 'files') });
  },
});

function detailsOf<Rows extends 'items' | 'files'>(sizes: readonly NamedSize[] | undefined, rows: Rows) {
  return sizes && { details: sizes.map(({ name, ...size }) => ({ name, ...sizeMembers(size, rows) })) };
}
