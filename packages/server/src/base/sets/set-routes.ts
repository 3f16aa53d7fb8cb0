import type { CountItemsResponse, DeleteByQueryResponse, UpdateByQueryResponse } from 'basedrive-client';
import { json } from '../../http/answer.js';
import type { Call, RouteTable } from '../../http/call.js';
import { readJsonBody } from '../../http/json-body.js';
import { runInSlices } from '../../lib/time-slices.js';
import { baseSpace } from '../../spaces.js';
import { maxBodyBytes } from '../limits.js';
import { readCountBody, readDeleteBody, readSetUpdateBody } from './set-body.js';
import type { SetOperations } from './set-operations.js';

/** The routes of docs/http.md#sets, below `/v1/{project}/{base}`. */
export function setRoutes(sets: SetOperations): RouteTable {
  const spaceOf = ({ project, name }: Call) => baseSpace(project, name);
  return {
    '/query/count': {
      POST: async (call) => {
        const query = await runInSlices(readCountBody(await readJsonBody(call, maxBodyBytes)));
        const count = await sets.count(spaceOf(call), query, () => call.isAbandoned);
        return json<CountItemsResponse>(200, { count });
      },
    },

    '/query/delete': {
      POST: async (call) => {
        const change = await runInSlices(readDeleteBody(await readJsonBody(call, maxBodyBytes)));
        const { changed } = await sets.remove(spaceOf(call), change, () => call.isAbandoned);
        return json<DeleteByQueryResponse>(
          200,
          change.isDryRun ? { matched: changed } : { deleted: changed },
        );
      },
    },

    '/query/update': {
      POST: async (call) => {
        const body = await readJsonBody(call, maxBodyBytes);
        const { change, update } = await runInSlices(readSetUpdateBody(body));
        const result = await sets.update(spaceOf(call), change, update, () => call.isAbandoned);
        const { changed, failed, failedCount } = result;
        return json<UpdateByQueryResponse>(
          200,
          change.isDryRun ? { matched: changed } : { updated: changed, failed, failed_count: failedCount },
        );
      },
    },
  };
}
