import { json } from '../../http/answers/answer.js';
import { booleanText, readBoolean } from '../../http/parameters/boolean-parameter.js';
import { namesPage, pageAnswer, pagingOf, readNamesPage } from '../../http/parameters/paging.js';
import type { Call } from '../../http/requests/call.js';
import { count, inQuery, jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, list, named, object, optional, text, truth } from '../../json/schema.js';
import { type CollectionName, viewOf } from '../collections.js';
import type { Size } from '../count.js';
import type { CatalogService, CatalogServices, NamedSize } from '../service.js';

/** What an answer says of how good its numbers are. */
const exactness = {
  exact: described(truth, 'Whether the numbers are those of now'),
  as_of: optional(described(count, 'If not: when they were counted, in seconds since 1970 UTC')),
};

/** The members of an answer that say a size. `rows` is what they call its rows. */
function sizeMembers<Rows extends 'items' | 'files'>(
  { rows, bytes, exact, asOfSeconds }: Size,
  name: Rows,
): SizeMembers<Rows> {
  return {
    ...(rows !== undefined && { [name]: rows, bytes }),
    exact,
    ...(asOfSeconds !== undefined && { as_of: asOfSeconds }),
  } as SizeMembers<Rows>;
}

type SizeMembers<Rows extends string> = { readonly [Name in Rows]?: number } & {
  bytes?: number;
  exact: boolean;
  as_of?: number;
};

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
    const { paging, names, sizes } = await pageOf(call, catalog, 'bases');
    return json(200, { ...paging, bases: names, ...detailsOf(sizes, 'items') });
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
    const { paging, names, sizes } = await pageOf(call, catalog, 'drives');
    return json(200, { ...paging, drives: names, ...detailsOf(sizes, 'files') });
  },
});

/** A page of names, and the size of each if the request asks for details. */
async function pageOf(call: Call, catalog: CatalogService, of: CollectionName) {
  const hasDetails = readBoolean(call, 'details', false);
  const view = viewOf(call);
  const { names, more } = await catalog.list(of, call.project, readNamesPage(call), view);
  const sizes = hasDetails ? await catalog.sizes(of, call.project, names, view) : undefined;
  return { paging: pagingOf(names, more), names, sizes };
}

function detailsOf<Rows extends 'items' | 'files'>(sizes: readonly NamedSize[] | undefined, rows: Rows) {
  return sizes && { details: sizes.map(({ name, ...size }) => ({ name, ...sizeMembers(size, rows) })) };
}

const BaseStats = named(
  'BaseStats',
  object({
    items: optional(described(count, 'Absent if nobody has counted them yet')),
    bytes: optional(described(count, 'Of the stored JSON of the items')),
    ...exactness,
  }),
);
const DriveStats = named(
  'DriveStats',
  object({
    files: optional(described(count, 'Absent if nobody has counted them yet')),
    bytes: optional(described(count, 'Of the contents of the files')),
    ...exactness,
    trash_files: optional(described(count, 'In the trash. Absent: none')),
    trash_bytes: optional(described(count, 'Of the contents of the files in the trash. Absent: none')),
  }),
);

export const getStatistics = operation({
  method: 'GET',
  path: '/v1/{project}/{name}/stats',
  access: 'read',
  names: 'narrowed',
  section: 'statistics',
  summary: 'The size of a base and of the drive of its name',
  answers: {
    200: jsonAnswer('Their sizes', named('StatsResponse', object({ base: BaseStats, drive: DriveStats }))),
  },
  failures: [400],
  handle: async (call, { catalog }: CatalogServices) => {
    const { base, drive, trash } = await catalog.stats(call.project, call.name, viewOf(call));
    const exact = drive.exact && trash.exact;
    return json(200, {
      base: sizeMembers(base, 'items'),
      drive: {
        ...sizeMembers({ ...drive, exact }, 'files'),
        ...((trash.rows ?? 0) > 0 && { trash_files: trash.rows, trash_bytes: trash.bytes }),
      },
    });
  },
});
