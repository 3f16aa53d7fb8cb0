import type {
  CopyFilesResponse,
  DeleteAllResponse,
  FileDetails,
  GetUploadResponse,
  ListFilesResponse,
  ListUploadsResponse,
  MoveFilesResponse,
  PutFileResponse,
  UploadPartResponse,
  UploadResponse,
} from 'basedrive-client';
import { requireWithin } from '../access/scope.js';
import { json, jsonText } from '../http/answer.js';
import type { Call, RouteTable } from '../http/call.js';
import { readWriteCondition } from '../http/conditional.js';
import { declaredType, typeByName } from '../http/content-type.js';
import { expiresInOf } from '../http/expires-in.js';
import { readLimit, readWhole, requireTrue } from '../http/parameters.js';
import { isRandomId } from '../lib/random-id.js';
import { runInSlices } from '../lib/time-slices.js';
import { badRequest, notFound, RequestError } from '../request-error.js';
import { readDeleteBody, writeDeleteResponse } from './delete-body.js';
import { detailsOf } from './details.js';
import { downloadAnswer, keyedDownload } from './download.js';
import { eitherExpiry, expiresRule, readFileChanges } from './file-changes.js';
import {
  maxChangesBodyBytes,
  maxDeleteBodyBytes,
  maxFileBytes,
  maxListed,
  maxPartBytes,
  maxParts,
  maxTransferBodyBytes,
} from './limits.js';
import type { ListPage, ListQuery } from './list.js';
import { readName, readNamePart } from './name.js';
import { jsonBody, pageWhenTooLarge, sourceOf } from './request-body.js';
import type { FileExpiry } from './rows.js';
import type { DriveService } from './service.js';
import { readTransferBody, type TransferBody } from './transfer-body.js';
import type { UploadsPage } from './uploads.js';

/** The routes of docs/http.md#file-api, below `/v1/{project}/{drive}`. */
export function driveRoutes(service: DriveService): RouteTable {
  const { uploads, keptByWrite } = service;
  return {
    '/files': {
      POST: pageWhenTooLarge(async (call) => {
        const name = readName(call.query.get('name'));
        const condition = readWriteCondition(call.headers);
        const expiry = readExpiry(call);
        const source = await sourceOf(call, { maxBytes: maxFileBytes, keptByWrite });
        const contentType = declaredType(call.headers) ?? typeByName(name);
        await service.put(call.project, call.name, name, {
          source,
          contentType,
          condition,
          ...expiry,
        });
        return json<PutFileResponse>(201, { name, ...owners(call) });
      }),

      // Drives are never created or deleted, so an unknown drive is an empty one.
      GET: async (call) => {
        const page = await service.list(call.project, call.name, readListQuery(call));
        return jsonText(200, listedText(page));
      },

      PATCH: pageWhenTooLarge(async (call) => {
        const name = readName(call.query.get('name'));
        const changes = await runInSlices(readFileChanges(await jsonBody(call, maxChangesBodyBytes)));
        const file = await service.change(call.project, call.name, name, changes);
        if (file === undefined) throw notFound('File not found');
        return json<FileDetails>(200, detailsOf(name, file));
      }),

      DELETE: pageWhenTooLarge(async (call) => {
        const body = await jsonBody(call, maxDeleteBodyBytes);
        const asked = await runInSlices(readDeleteBody(body));
        for (const name of asked.names) requireWithin(call.grant, name);
        await service.remove(call.project, call.name, asked.names);
        return jsonText(200, await runInSlices(writeDeleteResponse(asked)));
      }),
    },

    '/files?all': {
      DELETE: async (call) => {
        requireTrue(call, 'all');
        const deleted = await service.removeAll(
          call.project,
          call.name,
          call.grant.prefix,
          () => call.isAbandoned,
        );
        return json<DeleteAllResponse>(200, { deleted });
      },
    },

    '/files/move': {
      POST: pageWhenTooLarge(async (call) => {
        const sent = await jsonBody(call, maxTransferBodyBytes);
        const body = await runInSlices(readTransferBody(sent, true));
        requireAllWithin(call, body);
        await service.move(call.project, call.name, body);
        return json<MoveFilesResponse>(200, { moved: body.files.length });
      }),
    },

    '/files/copy': {
      POST: pageWhenTooLarge(async (call) => {
        const sent = await jsonBody(call, maxTransferBodyBytes);
        const body = await runInSlices(readTransferBody(sent, false));
        requireAllWithin(call, body);
        await service.copy(call.project, call.name, body, () => call.isAbandoned);
        return json<CopyFilesResponse>(200, { copied: body.files.length });
      }),
    },

    '/files/download': {
      GET: (call) => {
        const name = readName(call.query.get('name'));
        const file = service.open(call.project, call.name, name);
        const answer = (found: Awaited<typeof file>) => {
          if (found === undefined) throw notFound('File not found');
          return downloadAnswer(found, call.headers, keyedDownload(name, found));
        };
        return file instanceof Promise ? file.then(answer) : answer(file);
      },
    },

    '/uploads': {
      GET: async (call) => {
        const last = readNamePart('last', call.query.get('last'));
        const limit = readLimit(call, maxListed);
        const page = await uploads.list(call.project, call.name, { within: call.grant.prefix, last, limit });
        return json<ListUploadsResponse>(200, listedUploads(page));
      },

      POST: async (call) => {
        const name = readName(call.query.get('name'));
        const contentType = declaredType(call.headers);
        const uploadId = await uploads.initialize(call.project, call.name, name, {
          contentType,
          ...readExpiry(call),
        });
        return json<UploadResponse>(202, { name, upload_id: uploadId, ...owners(call) });
      },
    },

    '/uploads/:uploadId': {
      GET: async (call) => {
        const name = readName(call.query.get('name'));
        const uploadId = uploadIdOf(call);
        const found = await uploads.get(call.project, call.name, name, uploadId);
        if (found === undefined) throw unknownUpload();
        const parts = found.map(({ part, sizeBytes }) => ({ part, size: sizeBytes }));
        return json<GetUploadResponse>(200, { upload_id: uploadId, name, parts });
      },

      PATCH: async (call) => {
        const name = readName(call.query.get('name'));
        const uploadId = uploadIdOf(call);
        const condition = readWriteCondition(call.headers);
        const result = await uploads.end(call.project, call.name, name, { uploadId, condition });
        if (result === 'unknown') throw unknownUpload();
        if (result !== 'ended') throw new RequestError(result.isConditionUnmet ? 412 : 400, result.problems);
        return json<UploadResponse>(200, { name, upload_id: uploadId, ...owners(call) });
      },

      DELETE: async (call) => {
        const name = readName(call.query.get('name'));
        const uploadId = uploadIdOf(call);
        if (!(await uploads.abort(call.project, call.name, name, uploadId))) throw unknownUpload();
        return json<UploadResponse>(200, { name, upload_id: uploadId, ...owners(call) });
      },
    },

    '/uploads/:uploadId/parts': {
      POST: pageWhenTooLarge(async (call) => {
        const name = readName(call.query.get('name'));
        const part = readPart(call.query.get('part'));
        const uploadId = uploadIdOf(call);
        const { project, name: drive } = call;
        // This is checked before the body is read, so that no client sends megabytes that are discarded.
        if (!(await uploads.isOpen(project, drive, name, uploadId))) throw unknownUpload();
        const source = await sourceOf(call, { maxBytes: maxPartBytes, keptByWrite });
        const contentType = declaredType(call.headers);
        const isStored = await uploads.part(project, drive, name, { uploadId, part, source, contentType });
        if (!isStored) throw unknownUpload();
        return json<UploadPartResponse>(200, { name, upload_id: uploadId, part, ...owners(call) });
      }),
    },
  };
}

/** Throws the 403 `RequestError` of a file that is moved or copied from or to beyond the key's prefix. */
function requireAllWithin({ grant }: Call, { files }: TransferBody): void {
  for (const { from, to } of files) {
    requireWithin(grant, from);
    requireWithin(grant, to);
  }
}

function owners(call: Call) {
  return { project_id: call.project, drive_name: call.name };
}

/**
 * Reads the upload id. An id that this service cannot have made belongs to no upload, so it needs no error of its own.
 */
function uploadIdOf(call: Call): string {
  const { uploadId = '' } = call.params;
  if (!isRandomId(uploadId)) throw unknownUpload();
  return uploadId;
}

function unknownUpload() {
  return notFound('Upload not found');
}

/** Reads `part` of docs/http.md#upload-chunked-part. Throws a 400 `RequestError`. */
function readPart(text: string | undefined): number {
  const part = readWhole(text);
  if (part === undefined || part < 1 || part > maxParts) {
    throw badRequest(`part: must be an integer from 1 to ${maxParts}`);
  }
  return part;
}

/** Reads `expires` and `expires_in` of docs/http.md#expiring-files. An empty text means absent. */
function readExpiry(call: Call): FileExpiry {
  const text = call.query.get('expires');
  const expiresInSeconds = expiresInOf(call);
  if (text === undefined || text === '') return { expiresInSeconds };
  const expiresAtSeconds = readWhole(text);
  if (expiresAtSeconds === undefined || !Number.isSafeInteger(expiresAtSeconds))
    throw badRequest(`expires: ${expiresRule}`);
  if (expiresInSeconds !== undefined) throw badRequest(eitherExpiry);
  return { expiresAtSeconds };
}

function readListQuery(call: Call): Omit<ListQuery, 'nowSeconds'> {
  const { query } = call;
  return {
    within: call.grant.prefix,
    limit: readLimit(call, maxListed),
    prefix: readNamePart('prefix', query.get('prefix')),
    last: readNamePart('last', query.get('last')),
    recursive: readSwitch(call, 'recursive', true),
    details: readSwitch(call, 'details', false),
  };
}

/** Reads a parameter that is `true` or `false`; gives `absent` if it is absent or empty. */
function readSwitch(call: Call, parameter: string, absent: boolean): boolean {
  const text = call.query.get(parameter);
  if (text === undefined || text === '') return absent;
  if (text === 'true' || text === 'false') return text === 'true';
  throw badRequest(`${parameter}: must be true or false`);
}

const comma = Buffer.from(',');

/**
 * The body of a page, a `ListFilesResponse`. `paging` is present only if more names follow, and `files` only with
 * `details` (docs/http.md#list-files).
 */
function listedText({ names, files, more }: ListPage): Buffer | string {
  const last = names.at(-1);
  const page: Omit<ListFilesResponse, 'files'> = {
    ...(more && last !== undefined ? { paging: { size: names.length, last } } : undefined),
    names: [...names],
  };
  const text = JSON.stringify(page);
  if (files === undefined) return text;
  const pieces = files.flatMap((piece, index) => (index === 0 ? piece : [comma, piece]));
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)},"files":[`), ...pieces, Buffer.from(']}')]);
}

function listedUploads({ uploads, more }: UploadsPage): ListUploadsResponse {
  const last = uploads.at(-1);
  return {
    ...(more && last !== undefined ? { paging: { size: uploads.length, last: last.uploadId } } : undefined),
    uploads: uploads.map(({ uploadId, name }) => ({ upload_id: uploadId, name })),
  };
}
