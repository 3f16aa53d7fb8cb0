import type { CreateKeyResponse, DeleteKeyResponse, KeyDetails, OwnKeyResponse } from 'basedrive-client';
import { ranks } from '../access/rights.js';
import { json, jsonText } from '../http/answer.js';
import type { RouteTable } from '../http/call.js';
import { readJsonBody } from '../http/json-body.js';
import { shareRuns } from '../lib/share-runs.js';
import { runInSlices, type Steps } from '../lib/time-slices.js';
import { badRequest, conflict, notFound } from '../request-error.js';
import { type KeyInfo, TooManyKeys } from './key-administration.js';
import type { KeyRing } from './key-ring.js';
import { maxKeyBodyBytes, readNewKey } from './new-key.js';

const keysPerStep = 32;

/** The routes of docs/http.md#limited-keys, below `/v1/{project}`. */
export function keyRoutes(keys: KeyRing): RouteTable {
  const texts = new Map<string, () => Promise<Buffer>>();

  /** Requests at the same time share a list, because it may have some megabytes in several forms. */
  function textOf(ofProject: string): () => Promise<Buffer> {
    let text = texts.get(ofProject);
    if (text === undefined) {
      text = shareRuns(async () => {
        const infos = await keys.list();
        return await runInSlices(writeList(infos.filter(({ project }) => project === ofProject)));
      });
      texts.set(ofProject, text);
    }
    return text;
  }

  return {
    '/keys': {
      GET: async (call) => {
        return jsonText(200, await textOf(call.project)());
      },

      POST: async (call) => {
        const options = await runInSlices(readNewKey(await readJsonBody(call, maxKeyBodyBytes)));
        const made = await keys.create(call.project, options).catch((cause) => {
          throw cause instanceof TooManyKeys ? conflict(cause.message) : cause;
        });
        const { id, ...details } = detailsOf(made);
        return json<CreateKeyResponse>(201, { id, key: made.key, ...details });
      },

      DELETE: async (call) => {
        const id = call.query.get('id');
        if (id === undefined || id === '') throw badRequest('id: is required');
        if (!(await keys.revoke(id, call.project))) throw notFound('Key not found');
        return json<DeleteKeyResponse>(200, { id });
      },
    },

    '/keys?self': {
      GET: ({ grant }) => {
        const info = keys.describe(grant.keyId);
        // The operator's keys have no row.
        const details = info === undefined ? { id: grant.keyId, access: 'full' as const } : detailsOf(info);
        return json<OwnKeyResponse>(200, { ...details, manages_keys: grant.rank === ranks['no limit'] });
      },
    },
  };
}

/** Gives the text of a `ListKeysResponse`. */
function* writeList(infos: readonly KeyInfo[]): Steps<Buffer> {
  const texts: string[] = [];
  for (const info of infos) {
    texts.push(JSON.stringify(detailsOf(info)));
    if (texts.length % keysPerStep === 0) yield;
  }
  return Buffer.from(`{"keys":[${texts.join()}]}`);
}

/** A key in an answer. Members that say nothing are absent. */
function detailsOf({ id, name, limits, createdSeconds, lastUsedSeconds }: KeyInfo): KeyDetails {
  const {
    access = 'full',
    bases,
    drives,
    prefix,
    expiresAtSeconds,
    origins,
    requestsPerSecond,
  } = limits ?? {};
  return {
    id,
    ...(name !== undefined && { name }),
    access,
    ...(bases && { bases: [...bases] }),
    ...(drives && { drives: [...drives] }),
    ...(prefix !== undefined && { prefix }),
    ...(origins && { origins: [...origins] }),
    ...(requestsPerSecond !== undefined && { requests_per_second: requestsPerSecond }),
    created: createdSeconds,
    ...(expiresAtSeconds !== undefined && { expires: expiresAtSeconds }),
    ...(lastUsedSeconds !== undefined && { last_used: lastUsedSeconds }),
  };
}
