import { createHash } from 'node:crypto';
import { maxPartBytes } from '../../drive/limits.js';
import {
  partParameter,
  readPart,
  unknownUpload,
  uploadIdOf,
  uploadParameter,
} from '../../drive/parameters.js';
import { sourceOf } from '../../drive/request-body.js';
import { Upload, UploadedPart, UploadParts } from '../../drive/schemas.js';
import { json } from '../../http/answers/answer.js';
import { conditionParameters, readWriteCondition } from '../../http/answers/conditional.js';
import type { Call } from '../../http/requests/call.js';
import { declaredType, typeByName } from '../../http/requests/content-type.js';
import { bytesBody, jsonAnswer, operation } from '../../http/routing/operation.js';
import { forbidden, RequestError } from '../../request-error.js';
import type { Link } from '../link.js';
import { linksRoot, type SharingServices } from '../services.js';
import { isFree, linkOf, linkParameters, requireType, whileAllowed } from './linked-files.js';

/**
 * Uploads in parts by a link (docs/http.md#links-for-parts): the requests of an upload, with the link in place of key,
 * drive and name. A link has one open upload at most, so who has nothing but the link can continue it.
 */
const byLink = { access: 'no key', section: 'links-for-parts' } as const;
const uploadsPath = `${linksRoot}/{token}/{file}/uploads` as const;
const uploadPath = `${uploadsPath}/{upload_id}` as const;

export const initializeLinkedUpload = operation({
  ...byLink,
  method: 'POST',
  path: uploadsPath,
  summary: 'Open the upload of a link, or find it open',
  parameters: linkParameters,
  answers: { 202: jsonAnswer('The open upload', Upload) },
  failures: [403, 409, 410, 415, 503],
  handle: async (call, services: SharingServices) => {
    const { link, id } = await linkOfParts(call, services);
    const { project, drive, name, maxBytes = 0, expiresAtSeconds } = link;
    const contentType = declaredType(call.headers) ?? typeByName(name);
    requireType(link, contentType);
    if (!link.overwrite) await requireFree(link, services);
    const about = { link: id, contentType, maxBytes, endsAtSeconds: expiresAtSeconds };
    const uploadId = await services.drives.uploads.openLinked(project, drive, name, about);
    return json(202, uploadOf(link, uploadId));
  },
});

export const uploadLinkedPart = operation({
  ...byLink,
  method: 'POST',
  path: `${uploadPath}/parts`,
  summary: 'Upload a part by a link',
  parameters: [...linkParameters, uploadParameter, partParameter],
  request: bytesBody('The bytes, at most 10 MiB, at least 5 MiB but for the last part'),
  answers: { 200: jsonAnswer('The part is stored', UploadedPart) },
  failures: [400, 403, 404, 410, 503],
  handle: async (call, services: SharingServices) => {
    const { uploadId, ...allowed } = await openUploadOf(call, services);
    const { link } = allowed;
    const { project, drive, name, maxBytes = 0 } = link;
    const part = readPart(call);
    const { uploads, keptByWrite } = services.drives;
    // The parts together are bounded when the part is stored.
    const sent = await sourceOf(call, { maxBytes: Math.min(maxBytes, maxPartBytes), keptByWrite });
    const source = await whileAllowed(sent, allowed, services);
    const given = { uploadId, part, source, announcedBytes: call.contentLength, contentType: undefined };
    if (!(await uploads.part(project, drive, name, given))) throw unknownUpload();
    return json(200, { part, ...uploadOf(link, uploadId) });
  },
});

export const getLinkedUpload = operation({
  ...byLink,
  method: 'GET',
  path: uploadPath,
  summary: 'List the parts of the upload of a link',
  parameters: [...linkParameters, uploadParameter],
  answers: { 200: jsonAnswer('Its parts', UploadParts) },
  failures: [403, 404, 410, 503],
  handle: async (call, services: SharingServices) => {
    const { link, uploadId } = await openUploadOf(call, services);
    const { project, drive, name } = link;
    const found = await services.drives.uploads.get(project, drive, name, uploadId);
    if (found === undefined) throw unknownUpload();
    const parts = found.map(({ part, sizeBytes }) => ({ part, size: sizeBytes }));
    return json(200, { upload_id: uploadId, name, parts });
  },
});

export const endLinkedUpload = operation({
  ...byLink,
  method: 'PATCH',
  path: uploadPath,
  summary: 'Make the parts of the upload of a link a file',
  parameters: [...linkParameters, uploadParameter, ...conditionParameters],
  answers: { 200: jsonAnswer('The file is stored', Upload) },
  failures: [400, 403, 404, 409, 410, 412, 503],
  handle: async (call, services: SharingServices) => {
    const { link, uploadId } = await openUploadOf(call, services);
    const { project, drive, name, overwrite = false } = link;
    const condition = overwrite ? readWriteCondition(call.headers) : isFree;
    const result = await services.drives.uploads.end(project, drive, name, { uploadId, condition });
    if (result === 'unknown') throw unknownUpload();
    if (result !== 'ended') throw new RequestError(result.problems);
    return json(200, uploadOf(link, uploadId));
  },
});

export const abortLinkedUpload = operation({
  ...byLink,
  method: 'DELETE',
  path: uploadPath,
  summary: 'Drop the upload of a link',
  parameters: [...linkParameters, uploadParameter],
  answers: { 200: jsonAnswer('It is gone', Upload) },
  failures: [403, 404, 410, 503],
  handle: async (call, services: SharingServices) => {
    const { link, uploadId } = await openUploadOf(call, services);
    const { project, drive, name } = link;
    if (!(await services.drives.uploads.abort(project, drive, name, uploadId))) throw unknownUpload();
    return json(200, uploadOf(link, uploadId));
  },
});

/** The link of a request, and what stands for it in rows. Throws the 403 `RequestError` of one that allows no parts. */
async function linkOfParts(call: Call, services: SharingServices) {
  const allowed = await linkOf(call, 'POST', services);
  const { link } = allowed;
  if (!link.parts) throw forbidden('invalid_link', 'the link is not for uploads in parts');
  // Rows are read by those who may not use the link.
  const hash = createHash('sha256').update(call.params.token ?? '');
  return { ...allowed, id: hash.digest('hex').slice(0, idCharacters) };
}

const idCharacters = 32;

/** The link of a request, and the upload of its path. Throws the 404 `RequestError` of one that the link has not open. */
async function openUploadOf(call: Call, services: SharingServices) {
  const { id, ...allowed } = await linkOfParts(call, services);
  const { link } = allowed;
  const uploadId = uploadIdOf(call);
  const { project, drive, name } = link;
  const upload = await services.drives.uploads.find(project, drive, name, uploadId);
  if (upload?.link !== id) throw unknownUpload();
  return { ...allowed, uploadId };
}

async function requireFree({ project, drive, name }: Link, { drives }: SharingServices): Promise<void> {
  const file = await drives.open(project, drive, name);
  file?.release();
  const taken = file === undefined ? undefined : isFree(file.row.id);
  if (taken !== undefined) throw taken;
}

function uploadOf({ project, drive, name }: Link, uploadId: string) {
  return { name, upload_id: uploadId, project_id: project, drive_name: drive };
}
