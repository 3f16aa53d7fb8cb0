import { json } from '../../http/answers/answer.js';
import { conditionParameters, readWriteCondition } from '../../http/answers/conditional.js';
import { declaredType, typeByName } from '../../http/requests/content-type.js';
import { bytesBody, jsonAnswer, operation } from '../../http/routing/operation.js';
import { metadataOf } from '../files/metadata.js';
import { maxFileBytes } from '../limits.js';
import { expiryParameters, nameParameter, ownersOf, readExpiry, readName } from '../parameters.js';
import { sourceOf } from '../request-body.js';
import { StoredFile } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const putFile = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/files',
  access: 'write',
  names: 'query',
  summary: 'Put a file',
  parameters: [nameParameter, ...expiryParameters, ...conditionParameters],
  request: bytesBody('The bytes, at most 10 MiB. The type is stored'),
  answers: { 201: jsonAnswer('The file is stored', StoredFile) },
  failures: [400, 412],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const condition = readWriteCondition(call.headers);
    const about = { ...readExpiry(call), metadata: metadataOf(call.headers) };
    const source = await sourceOf(call, { maxBytes: maxFileBytes, keptByWrite: drives.keptByWrite });
    const contentType = declaredType(call.headers) ?? typeByName(name);
    await drives.put(call.project, call.name, name, { source, contentType, condition, ...about });
    return json(201, { name, ...ownersOf(call) });
  },
});
