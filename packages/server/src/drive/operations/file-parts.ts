import { json } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { filePartsOf } from '../downloads/file-parts.js';
import { etagOf } from '../files/etag.js';
import { fileNotFound, nameParameter, readName } from '../parameters.js';
import { FileParts } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const fileParts = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/files/parts',
  access: 'read',
  names: 'query',
  section: 'file-parts',
  summary: 'List the parts of a file',
  parameters: [nameParameter],
  answers: { 200: jsonAnswer('The parts of which it was made', FileParts) },
  failures: [400, 404],
  handle: async (call, { drives }: DriveServices) => {
    const name = readName(call);
    const file = await drives.open(call.project, call.name, name);
    if (file === undefined) throw fileNotFound();
    file.release();
    const parts = filePartsOf(file).map(({ sizeBytes, checksum }) => ({
      size: sizeBytes,
      ...(checksum !== undefined && { checksum: { algorithm: checksum.algorithm, value: checksum.value } }),
    }));
    return json(200, { name, etag: etagOf(file.row), parts });
  },
});
