import { type FileChange, followChanges, type Live, projectOf } from '../feed/changes.js';
import { openLive } from '../feed/live.js';
import { type CallOptions, type Endpoint, parametersOf, percentEncode, segment } from '../http/endpoint.js';
import { BasedriveError, invalid } from '../http/error.js';
import { writeJson } from '../http/json.js';
import { batchesOf, listOf } from '../http/list-of.js';
import {
  eachListed,
  pages,
  requestAnswer,
  requestBody,
  requestValue,
  timed,
  type UsualCall,
} from '../http/request.js';
import { openSource } from '../http/source.js';
import type {
  ChangeFileRequest,
  CopyFilesResponse,
  DeleteAllResponse,
  DeleteFilesRequest,
  DeleteFilesResponse,
  EmptyTrashRequest,
  EmptyTrashResponse,
  FileDetails,
  GetUploadResponse,
  MoveFilesResponse,
  RestoreFilesRequest,
  RestoreFilesResponse,
  SettingsRequest,
  SettingsResponse,
  TransferFilesRequest,
} from '../http-types.js';
import { expiryOf } from '../items/expiry.js';
import { withNullOptions } from '../lib/null-options.js';
import { readStats } from '../project/catalog.js';
import type {
  ByteRange,
  DeleteFilesOptions,
  DeleteManyResult,
  Drive,
  FileTransfer,
  ListResult,
  TransferOptions,
} from './drive.js';
import { openFile } from './drive-file.js';
import { fileOrder } from './file-order.js';
import { openSharing } from './sharing.js';
import { conditionsOf, putFile } from './upload.js';

/** The most names on a page, and what a list has that says no number. */
const usualLimit = 1000;

type Send = <T>(call: UsualCall, options: CallOptions) => Promise<T>;
/** The same, and null for a 404. */
type Find = <T>(call: UsualCall, options: CallOptions) => Promise<T | null>;
type Lists = Pick<Drive, 'list' | 'names' | 'files'>;

/** Makes the calls of a drive. */
export function openDrive(endpoint: Endpoint): Drive {
  const send: Send = (call, options) => requestValue(endpoint, call, options);

  const find: Find = async <T>(call: UsualCall, options: CallOptions): Promise<T | null> => {
    const { value, error } = await requestAnswer(endpoint, call, options);
    return error === undefined ? (value as T) : null;
  };

  const lists = listCalls(send);
  return withNullOptions<Drive>({
    ...openSharing(endpoint, send),
    ...lists,
    ...deleteCalls(send),
    ...transferCalls(send),
    ...trashCalls(endpoint, send),
    ...settingsCalls(send),
    ...uploadCalls(endpoint, find),
    ...followCalls(endpoint, lists),

    async put(name, data, options = {}) {
      const query = nameQuery(name);
      await putFile(endpoint, query, await openSource(data), options);
      return name;
    },

    async get(name, options = {}) {
      const { range, ifMatch, folder } = options;
      const headers = { ...conditionsOf({ ifMatch }), ...(range && { Range: rangeHeader(range) }) };
      const path = `/files/download?${nameQuery(name)}${folder ? '&folder=true' : ''}`;
      const call = { method: 'GET', path, headers, repeatable: true } as const;
      const answer = await requestBody(endpoint, call, timed(endpoint, options));
      return answer === undefined ? null : openFile(name, answer, options.onProgress);
    },

    async change(name, { expireIn, expireAt, contentType, metadata } = {}, options = {}) {
      const { __expires, expires_in } = expiryOf({ expireIn, expireAt: expireAt ?? undefined });
      const expires = expireAt === null ? null : __expires;
      // JSON has no member that is undefined.
      const request: ChangeFileRequest = { expires, expires_in, content_type: contentType, metadata };
      const path = `/files?${nameQuery(name)}`;
      return await find<FileDetails>({ method: 'PATCH', path, body: writeJson(request) }, options);
    },

    stats: async (options = {}) => (await readStats(endpoint, options)).drive,

    async deleteAll({ signal, timeoutMs = Number.POSITIVE_INFINITY } = {}) {
      const call = { method: 'DELETE', path: '/files?all=true' } as const;
      return (await send<DeleteAllResponse>(call, { signal, timeoutMs })).deleted;
    },
  });
}

function listCalls(send: Send): Lists {
  const calls: Lists = {
    async list({ limit, prefix, contains, order, last, recursive, folders, details, ...options } = {}) {
      const parameters = { limit, prefix, contains, order, last, recursive, folders, details };
      const path = `/files?${parametersOf(parameters)}`;
      return await send<ListResult>({ method: 'GET', path }, options);
    },

    async *names(options = {}) {
      const ask = (last: string | undefined) => calls.list({ ...options, last });
      for await (const { names } of pages(options.last, ask)) yield* names;
    },

    async *files(options = {}) {
      const ask = (last: string | undefined) => calls.list({ ...options, last, details: true });
      for await (const { files = [] } of pages(options.last, ask)) yield* files;
    },
  };
  return calls;
}

function settingsCalls(send: Send): Pick<Drive, 'settings' | 'changeSettings'> {
  return {
    settings: (options = {}) => send<SettingsResponse>({ method: 'GET', path: '/settings' }, options),

    async changeSettings(settings, options = {}) {
      const body = writeJson({ ...settings } satisfies SettingsRequest);
      return await send<SettingsResponse>({ method: 'PUT', path: '/settings', body }, options);
    },
  };
}

function uploadCalls(endpoint: Endpoint, find: Find): Pick<Drive, 'uploads' | 'upload'> {
  return {
    uploads: (options = {}) => eachListed(endpoint, '/uploads', 'uploads', options),

    async upload(name, uploadId, options = {}) {
      const path = `/uploads/${segment('upload_id', uploadId)}?${nameQuery(name)}`;
      return await find<GetUploadResponse>({ method: 'GET', path }, options);
    },
  };
}

function followCalls(endpoint: Endpoint, lists: Lists): Pick<Drive, 'changes' | 'live'> {
  const follow: Pick<Drive, 'changes' | 'live'> = {
    changes(options = {}) {
      const { project, name } = projectOf(endpoint);
      const changes = followChanges(project, { ...options, drives: [name] });
      return changes as AsyncGenerator<FileChange | Live, void, undefined>;
    },

    live({ prefix, order = 'name', limit = usualLimit, signal } = {}, onChange) {
      async function* changes(ended: AbortSignal) {
        for await (const change of follow.changes({ prefix, signal: ended })) {
          if (change.type === 'live') yield change;
          else if (change.type === 'delete') yield { ...change, id: change.name };
          else yield { ...change, id: change.name, item: change.file };
        }
      }
      const idOf = ({ name }: FileDetails) => name;
      const read = async function* (count: number, ended: AbortSignal) {
        const page = { prefix, order, limit: Math.min(count, usualLimit), details: true, signal: ended };
        for await (const { files = [] } of pages(undefined, (last) => lists.list({ ...page, last })))
          yield* files;
      };
      return openLive({ changes, read, idOf, compare: fileOrder(order), limit }, onChange, signal);
    },
  };
  return follow;
}

function deleteCalls(send: Send): Pick<Drive, 'delete' | 'deleteMany'> {
  const deleteSome = async (names: string[], { folder, ...options }: DeleteFilesOptions) => {
    const body = writeJson({ names } satisfies DeleteFilesRequest);
    const path = `/files${folder ? '?folder=true' : ''}`;
    return await send<DeleteFilesResponse>({ method: 'DELETE', path, body }, options);
  };

  return {
    async delete(name, options = {}) {
      nameQuery(name);
      const { failed } = await deleteSome([name], options);
      if (Object.hasOwn(failed, name))
        throw new BasedriveError('failed', `${name}: ${failed[name]}`, { status: 200 });
      return name;
    },

    async deleteMany(names, options = {}) {
      const batches = batchesOf('Names', names);
      if (batches.length === 0) throw invalid("Names can't be empty");
      return await deleteInBatches(batches, (some) => deleteSome(some, options));
    },
  };
}

function transferCalls(send: Send): Pick<Drive, 'move' | 'copy'> {
  /**
   * Sends a move or a copy. It is not repeated after a lost answer: if the service did it, it would refuse the same
   * request.
   */
  const transfer = async (
    path: '/files/move' | '/files/move?folder=true' | '/files/copy',
    files: Iterable<FileTransfer>,
    { overwrite, ...options }: TransferOptions,
  ) => {
    const request: TransferFilesRequest = { files: listOf('Files', files), ...(overwrite && { overwrite }) };
    const call = { method: 'POST', path, body: writeJson(request), repeatable: false } as const;
    return await send<Partial<MoveFilesResponse & CopyFilesResponse>>(call, options);
  };

  return {
    async move(files, { folder, ...options } = {}) {
      return (await transfer(folder ? '/files/move?folder=true' : '/files/move', files, options)).moved ?? 0;
    },

    async copy(files, { timeoutMs = Number.POSITIVE_INFINITY, ...options } = {}) {
      return (await transfer('/files/copy', files, { ...options, timeoutMs })).copied ?? 0;
    },
  };
}

function trashCalls(endpoint: Endpoint, send: Send): Pick<Drive, 'trash' | 'restore' | 'emptyTrash'> {
  return {
    trash: (options = {}) => eachListed(endpoint, '/trash', 'files', options),

    async restore(files, { overwrite, ...options } = {}) {
      const request: RestoreFilesRequest = { files: listOf('Files', files), ...(overwrite && { overwrite }) };
      // It is not repeated after a lost answer, as a move is not.
      const body = writeJson(request);
      const call = { method: 'POST', path: '/trash/restore', body, repeatable: false } as const;
      return (await send<RestoreFilesResponse>(call, options)).restored;
    },

    async emptyTrash(ids, { timeoutMs = Number.POSITIVE_INFINITY, ...options } = {}) {
      const call = { method: 'DELETE', path: '/trash?all=true' } as const;
      if (ids === undefined) return (await send<EmptyTrashResponse>(call, { ...options, timeoutMs })).deleted;
      let deleted = 0;
      for (const some of batchesOf('Ids', ids)) {
        const body = writeJson({ ids: some } satisfies EmptyTrashRequest);
        const part = { method: 'DELETE', path: '/trash', body } as const;
        deleted += (await send<EmptyTrashResponse>(part, { ...options, timeoutMs })).deleted;
      }
      return deleted;
    },
  };
}

async function deleteInBatches(
  batches: readonly string[][],
  deleteSome: (names: string[]) => Promise<DeleteFilesResponse>,
): Promise<DeleteManyResult> {
  const deleted: string[] = [];
  const failed: [string, string][] = [];
  let refused: BasedriveError | undefined;
  for (const batch of batches) {
    try {
      const answer = await deleteSome(batch);
      for (const name of answer.deleted) deleted.push(name);
      failed.push(...Object.entries(answer.failed));
    } catch (error) {
      // The service answers 400 when every name of a request is bad. Names of other requests may be good.
      if (!(error instanceof BasedriveError) || error.status !== 400) throw error;
      refused ??= error;
      for (const name of batch) failed.push([name, error.message]);
    }
  }
  if (refused && deleted.length === 0) throw refused;
  // Object.fromEntries, because an assignment would lose the name `__proto__`.
  return { deleted, failed: Object.fromEntries(failed) };
}

function nameQuery(name: string): string {
  if (typeof name !== 'string' || name.trim() === '') throw invalid('Name is empty');
  return `name=${percentEncode('Name', name)}`;
}

/** A range that is malformed would be answered with the whole file (RFC 9110). Throws code `invalid`. */
function rangeHeader(range: ByteRange): string {
  const { from, to, last } = range as { from?: number; to?: number; last?: number };
  const bytes = last === undefined ? `${from}-${to ?? ''}` : `-${last}`;
  if (!/^(\d+-\d*|-\d+)$/.test(bytes) || Number(to ?? from) < Number(from))
    throw invalid('range: must be whole numbers, from no more than to');
  return `bytes=${bytes}`;
}
