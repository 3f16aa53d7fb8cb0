import type { CountItemsResponse, DeleteByQueryResponse, UpdateByQueryResponse } from 'basedrive-client';
import { narrowedRange, requireAccess } from '../../access/scope.js';
import { json } from '../../http/answer.js';
import type { Call, RouteTable } from '../../http/call.js';
import { readJsonBody } from '../../http/json-body.js';
import { runInSlices } from '../../lib/time-slices.js';
import { baseSpace } from '../../spaces.js';
import { maxBodyBytes } from '../limits.js';
import {
  readCountBody,
  readDeleteBody,
  readSetUpdateBody,
  type SetChange,
  type SetQuery,
} from './set-body.js';
import type { SetOperations } from './set-operations.js';

/** The routes of docs/http.md#sets, below `/v1/{project}/{base}`. */
export function setRoutes(sets: SetOperations, nowSeconds: () => number): RouteTable {
  const spaceOf = ({ project, name }: Call) => baseSpace(project, name);
  const allowed = ({ grant }: Call, query: SetQuery): SetQuery => ({
    ...query,
    range: narrowedRange(grant, query.range),
  });
  const allowedChange = (call: Call, change: SetChange): SetChange => ({
    ...change,
    query: allowed(call, change.query),
  });
  return {
    '/query/count': {
      POST: async (call) => {
        const query = await runInSlices(readCountBody(await readJsonBody(call, maxBodyBytes)));
        const count = await sets.count(spaceOf(call), allowed(call, query), () => call.isAbandoned);
        return json<CountItemsResponse>(200, { count });
      },
    },

    '/query/delete': {
      POST: async (call) => {
        const change = await runInSlices(readDeleteBody(await readJsonBody(call, maxBodyBytes)));
        // Deleting every item is what Delete All Items does, so it needs the same access.
        if (change.isAll && !change.isDryRun) requireAccess(call.grant, 'full');
        const removed = allowedChange(call, change);
        const { changed } = await sets.remove(spaceOf(call), removed, () => call.isAbandoned);
        return json<DeleteByQueryResponse>(
          200,
          change.isDryRun ? { matched: changed } : { deleted: changed },
        );
      },
    },

    '/query/update': {
      POST: async (call) => {
        const body = await readJsonBody(call, maxBodyBytes);
        const { change, update } = await runInSlices(readSetUpdateBody(body, nowSeconds()));
        const updated = allowedChange(call, change);
        const result = await sets.update(spaceOf(call), updated, update, () => call.isAbandoned);
        const { changed, failed, failedCount } = result;
        return json<UpdateByQueryResponse>(
          200,
          change.isDryRun ? { matched: changed } : { updated: changed, failed, failed_count: failedCount },
        );
      },
    },
  };
}
