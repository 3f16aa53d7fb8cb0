import type {
  ActivityResponse,
  ListBasesResponse,
  ListDrivesResponse,
  StatsResponse,
} from 'basedrive-client';
import { readNamePart } from '../drive/name.js';
import { json } from '../http/answer.js';
import type { Call, RouteTable } from '../http/call.js';
import { readLimit } from '../http/parameters.js';
import { notFound } from '../request-error.js';
import type { NameQuery } from './names.js';
import type { CatalogService, NamePage, View } from './service.js';

/** The maximum number of names in a page (docs/http.md#list-bases). */
const maxListed = 1000;

/** Gives the requests of a project in the last hour (docs/http.md#activity). */
export type ReadActivity = (project: string) => ActivityResponse;

/** The routes of docs/http.md#catalog, below `/v1/{project}`. `readActivity`: undefined if requests are not counted. */
export function catalogRoutes(service: CatalogService, readActivity: ReadActivity | undefined): RouteTable {
  return {
    '/bases': {
      GET: async (call) => {
        const page = await service.listBases(call.project, readNameQuery(call), viewOf(call));
        return json<ListBasesResponse>(200, { ...pagingOf(page), bases: page.names });
      },
    },

    '/drives': {
      GET: async (call) => {
        const page = await service.listDrives(call.project, readNameQuery(call), viewOf(call));
        return json<ListDrivesResponse>(200, { ...pagingOf(page), drives: page.names });
      },
    },

    '/:name/stats': {
      GET: async (call) => {
        const { base, drive } = await service.stats(call.project, call.name, viewOf(call));
        return json<StatsResponse>(200, {
          base: { items: base.rows, bytes: base.bytes, exact: base.exact },
          drive: { files: drive.rows, bytes: drive.bytes, exact: drive.exact },
        });
      },
    },

    '/activity': {
      GET: ({ project }) => {
        if (readActivity === undefined)
          throw notFound('Metrics are off: the server was started without --metrics');
        return json<ActivityResponse>(200, readActivity(project));
      },
    },
  };
}

function viewOf(call: Call): View {
  return { shown: call.grant, isAbandoned: () => call.isAbandoned };
}

function readNameQuery(call: Call): NameQuery {
  return {
    limit: readLimit(call, maxListed),
    prefix: readNamePart('prefix', call.query.get('prefix')),
    last: readNamePart('last', call.query.get('last')),
  };
}

/** `paging` is present only if more names follow. */
function pagingOf({ names, more }: NamePage): { paging?: { size: number; last: string } } {
  const last = names.at(-1);
  return more && last !== undefined ? { paging: { size: names.length, last } } : {};
}
