import { requireWithin } from '../../access/scope.js';
import { json } from '../../http/answers/answer.js';
import { conditionParameters, readWriteCondition } from '../../http/answers/conditional.js';
import { isForm } from '../../http/requests/bodies/form-file.js';
import { textOf } from '../../http/requests/bodies/members.js';
import type { Call } from '../../http/requests/call.js';
import { declaredType, typeByName } from '../../http/requests/content-type.js';
import { bytesBody, jsonAnswer, operation } from '../../http/routing/operation.js';
import { badField } from '../../request-error.js';
import { readFileHeaders } from '../files/file-headers.js';
import { metadataOf } from '../files/metadata.js';
import { nameProblem } from '../files/name.js';
import { maxFileBytes } from '../limits.js';
import {
  expiryParameters,
  folderParameter,
  nameParameter,
  ownersOf,
  readExpiry,
  readFileName,
} from '../parameters.js';
import { type SentFile, sentFileOf } from '../request-body.js';
import { type FileExpiry, isFolder } from '../rows.js';
import { StoredFile } from '../schemas.js';
import type { DriveServices } from '../service.js';

/** A form may say it instead. */
const optionalName = { ...nameParameter, required: false };

export const putFile = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/files',
  access: 'write',
  names: 'query',
  summary: 'Put a file',
  parameters: [optionalName, folderParameter, ...expiryParameters, ...conditionParameters],
  request: bytesBody('The bytes, at most 10 MiB, or a form with the file. The type is stored'),
  answers: { 201: jsonAnswer('The file is stored', StoredFile) },
  failures: [400, 412],
  handle: async (call, { drives }: DriveServices) => {
    const { project, name: drive, headers } = call;
    const isOfForm = isForm(declaredType(headers));
    const given = isOfForm && call.query.get('name') === undefined ? undefined : readFileName(call);
    const condition = readWriteCondition(headers);
    const brought = readFileHeaders(headers);
    const metadata = metadataOf(headers);
    const { expiresAtSeconds, expiresInSeconds } = expiryFor(call, given);
    const sent = await sentFileOf(call, { maxBytes: maxFileBytes, keptByWrite: drives.keptByWrite });
    try {
      const name = given ?? nameOfForm(call, sent);
      await drives.put(project, drive, name, {
        source: sent.source,
        announcedBytes: isOfForm ? undefined : call.contentLength,
        contentType: sent.contentType ?? typeByName(name),
        requireAccess: call.requireAccess,
        condition,
        metadata,
        headers: brought?.headers,
        sums: brought && (() => brought.sums ?? {}),
        expiresAtSeconds,
        expiresInSeconds,
      });
      return json(201, { name, ...ownersOf(call) });
    } finally {
      sent.drop?.();
    }
  },
});

/** Throws the 400 `RequestError` of a marker that is to expire: S3 clients would not expect it. */
function expiryFor(call: Call, name: string | undefined): FileExpiry {
  const expiry = readExpiry(call);
  const isGiven = (expiry.expiresAtSeconds ?? expiry.expiresInSeconds) !== undefined;
  if (!isGiven || name === undefined || !isFolder(name)) return expiry;
  throw badField('expires', 'contradiction', 'must not be given with the marker of a folder');
}

/** The name of the file in a form. Throws the 400 or 403 `RequestError` of one that may not be. */
function nameOfForm({ grant }: Call, { name }: SentFile): string {
  const checked = textOf(name, 'filename', nameProblem);
  requireWithin(grant, checked);
  return checked;
}
