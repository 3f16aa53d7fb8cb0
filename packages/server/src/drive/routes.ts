import type {
  DeleteFilesResponse,
  ListFilesResponse,
  PutFileResponse,
  UploadPartResponse,
  UploadResponse,
} from 'basedrive-client';
import { json, tooLargePage } from '../http/answer.js';
import type { Answer, Call, Handler, RouteTable } from '../http/call.js';
import { declaredType, typeByName } from '../http/content-type.js';
import { requireJsonType } from '../http/json-body.js';
import { isRandomId } from '../lib/random-id.js';
import { badRequest, notFound } from '../request-error.js';
import { readDeleteBody } from './delete-body.js';
import { downloadAnswer } from './download.js';
import {
  defaultInlineFileBytes,
  maxDeleteBodyBytes,
  maxFileBytes,
  maxListed,
  maxPartBytes,
  maxParts,
} from './limits.js';
import type { ListPage, ListQuery } from './list.js';
import { readName, readNamePart } from './name.js';
import type { Source } from './piece.js';
import type { Drive, DriveService } from './service.js';

/** The body is larger than the file API takes: answered with a page and not with JSON. */
class BodyTooLarge extends Error {}

/** The file API: eight operations below `/v1/{project}/{drive}`. */
export function driveRoutes(service: DriveService): RouteTable {
  return {
    '/files': {
      POST: pageWhenTooLarge(async (call) => {
        const name = readName(call.query.get('name'));
        const source = await sourceOf(call, maxFileBytes);
        await service.put(driveOf(call), name, source, declaredType(call.headers) ?? typeByName(name));
        return json<PutFileResponse>(201, { name, ...owners(call) });
      }),

      // "List Files: 404" is for a drive that is gone; a drive is never made or deleted, so an unknown one is empty.
      GET: async (call) => {
        const query = readListQuery(call);
        return json<ListFilesResponse>(200, listed(await service.list(driveOf(call), query)));
      },

      DELETE: pageWhenTooLarge(async (call) => {
        requireJsonType(call);
        const { names, failed } = readDeleteBody(await call.body(maxDeleteBodyBytes, tooLarge));
        await service.remove(driveOf(call), names);
        // "names that do not exist are reported under `deleted`"
        return json<DeleteFilesResponse>(200, { deleted: [...names], failed });
      }),
    },

    '/files/download': {
      GET: (call) => {
        const name = readName(call.query.get('name'));
        const file = service.open(driveOf(call), name);
        const answer = (found: Awaited<typeof file>) => {
          if (found === undefined) throw notFound('File not found');
          return downloadAnswer(found, call.headers);
        };
        return file instanceof Promise ? file.then(answer) : answer(file);
      },
    },

    '/uploads': {
      POST: async (call) => {
        const name = readName(call.query.get('name'));
        const uploadId = await service.initialize(driveOf(call), name, declaredType(call.headers));
        return json<UploadResponse>(202, { name, upload_id: uploadId, ...owners(call) });
      },
    },

    '/uploads/:uploadId': {
      PATCH: async (call) => {
        const name = readName(call.query.get('name'));
        const uploadId = uploadIdOf(call);
        const result = await service.end(driveOf(call), name, uploadId);
        if (result === 'unknown') throw unknownUpload();
        if (result !== 'ended') throw badRequest(...result.problems);
        return json<UploadResponse>(200, { name, upload_id: uploadId, ...owners(call) });
      },

      DELETE: async (call) => {
        const name = readName(call.query.get('name'));
        const uploadId = uploadIdOf(call);
        if (!(await service.abort(driveOf(call), name, uploadId))) throw unknownUpload();
        return json<UploadResponse>(200, { name, upload_id: uploadId, ...owners(call) });
      },
    },

    '/uploads/:uploadId/parts': {
      POST: pageWhenTooLarge(async (call) => {
        const name = readName(call.query.get('name'));
        const part = readPart(call.query.get('part'));
        const uploadId = uploadIdOf(call);
        const drive = driveOf(call);
        // Nobody sends megabytes only to hear that they go nowhere.
        if (!(await service.isOpen(drive, name, uploadId))) throw unknownUpload();
        const source = await sourceOf(call, maxPartBytes);
        const options = { part, contentType: declaredType(call.headers) };
        if (!(await service.part(drive, name, uploadId, source, options))) throw unknownUpload();
        return json<UploadPartResponse>(200, { name, upload_id: uploadId, part, ...owners(call) });
      }),
    },
  };
}

function driveOf(call: Call): Drive {
  return { project: call.project, drive: call.name };
}

function owners(call: Call) {
  return { project_id: call.project, drive_name: call.name };
}

/** A short body is taken at once; a longer one, or one of unknown length, as it comes. */
function sourceOf(call: Call, maxBytes: number): Source | Promise<Source> {
  const known = call.contentLength;
  return known !== undefined && known <= defaultInlineFileBytes
    ? call.body(maxBytes, tooLarge)
    : call.stream(maxBytes, tooLarge);
}

function tooLarge(): Error {
  return new BodyTooLarge();
}

/** "413 of the file API (text/html, `<h1>413 - Request Entity Too Large</h1>`)" */
function pageWhenTooLarge(handler: (call: Call) => Promise<Answer>): Handler {
  return async (call) => {
    try {
      return await handler(call);
    } catch (cause) {
      if (cause instanceof BodyTooLarge) return tooLargePage();
      throw cause;
    }
  };
}

/** An id that was never made by this service is unknown, whatever characters it has. */
function uploadIdOf(call: Call): string {
  const { uploadId = '' } = call.params;
  if (!isRandomId(uploadId)) throw unknownUpload();
  return uploadId;
}

function unknownUpload() {
  return notFound('Upload not found');
}

/** "part numbers 1–10,000, else 400" */
function readPart(text: string | undefined): number {
  const part = readWhole(text);
  if (part === undefined || part < 1 || part > maxParts) {
    throw badRequest(`part: must be an integer from 1 to ${maxParts}`);
  }
  return part;
}

/** "`limit` 1–1000 (a larger one means 1000; not an integer or below 1 → 400)" */
function readLimit(text: string | undefined): number {
  if (text === undefined) return maxListed;
  const limit = readWhole(text);
  if (limit === undefined || limit < 1) throw badRequest('limit: must be an integer of 1 or more');
  return Math.min(limit, maxListed);
}

function readWhole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function readListQuery(call: Call): ListQuery {
  const { query } = call;
  return {
    limit: readLimit(query.get('limit')),
    prefix: readNamePart('prefix', query.get('prefix')),
    last: readNamePart('last', query.get('last')),
    recursive: readRecursive(query.get('recursive')),
  };
}

function readRecursive(text: string | undefined): boolean {
  if (text === undefined || text === '' || text === 'true') return true;
  if (text === 'false') return false;
  throw badRequest('recursive: must be true or false');
}

/** "`names` and, when paginated, `paging` (`size`, the number of names in the response, and `last`, the last name)" */
function listed({ names, more }: ListPage): ListFilesResponse {
  const last = names.at(-1);
  return more && last !== undefined
    ? { paging: { size: names.length, last }, names: [...names] }
    : { names: [...names] };
}
