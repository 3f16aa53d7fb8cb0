import type { DeclareIndexResponse, DropIndexResponse, ListIndexesResponse } from 'basedrive-client';
import { json } from '../../http/answer.js';
import type { Call, RouteTable } from '../../http/call.js';
import { readJsonBody } from '../../http/json-body.js';
import { hasControlCharacter } from '../../lib/control-characters.js';
import { runInSlices } from '../../lib/time-slices.js';
import { badRequest } from '../../request-error.js';
import { baseSpace } from '../../spaces.js';
import { maxBodyBytes, maxIndexNameBytes } from '../limits.js';
import { readIndexBody } from './index-body.js';
import type { IndexOperations } from './index-operations.js';

/** The routes of docs/http.md#indexes, below `/v1/{project}/{base}`. */
export function indexRoutes(indexes: IndexOperations): RouteTable {
  const spaceOf = ({ project, name }: Call) => baseSpace(project, name);
  return {
    '/indexes': {
      GET: async (call) => {
        const found = await indexes.list(spaceOf(call), () => call.isAbandoned);
        return json<ListIndexesResponse>(200, { indexes: found });
      },
    },

    '/indexes/:index': {
      PUT: async (call) => {
        const name = nameOf(call);
        const fields = await runInSlices(readIndexBody(await readJsonBody(call, maxBodyBytes)));
        const { index, isNew } = await indexes.declare(spaceOf(call), name, fields);
        return json<DeclareIndexResponse>(isNew ? 202 : 200, index);
      },

      DELETE: async (call) => {
        const name = nameOf(call);
        await indexes.drop(spaceOf(call), name);
        return json<DropIndexResponse>(200, { name });
      },
    },
  };
}

/** The name of the index, which obeys the rules of the names of bases (docs/http.md#paths). */
function nameOf(call: Call): string {
  const { index = '' } = call.params;
  const bytes = Buffer.byteLength(index);
  if (index === '') throw badRequest('index: must not be empty');
  if (bytes > maxIndexNameBytes) {
    throw badRequest(`index: has ${bytes} bytes of UTF-8, at most ${maxIndexNameBytes}`);
  }
  if (index === 'none')
    throw badRequest('index: must not be none, which Server-Timing says without an index');
  if (hasControlCharacter(index)) throw badRequest('index: control characters are not allowed');
  return index;
}
