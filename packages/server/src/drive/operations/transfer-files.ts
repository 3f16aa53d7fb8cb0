import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { object } from '../../json/schema.js';
import { maxTransferBodyBytes } from '../limits.js';
import { folderParameter, nameRule } from '../parameters.js';
import { jsonBodyOf } from '../request-body.js';
import type { DriveServices } from '../service.js';
import {
  readCopyBody,
  readMoveBody,
  requireTransferWithin,
  TransferFilesRequest,
} from '../transfers/transfer-body.js';

const transfer = {
  method: 'POST',
  access: 'write',
  names: 'body',
  request: jsonBody(TransferFilesRequest, { tooLarge: 'page' }),
  failures: [404, 409],
} as const;

export const moveFiles = operation({
  ...transfer,
  path: '/v1/{project}/{drive}/files/move',
  summary: 'Move files',
  parameters: [folderParameter],
  answers: { 200: jsonAnswer('How many were moved', object({ moved: count })) },
  handle: async (call, { drives }: DriveServices) => {
    const rule = nameRule(call);
    const body = await jsonBodyOf(call, maxTransferBodyBytes, (bytes) => readMoveBody(bytes, rule));
    requireTransferWithin(call.grant, body);
    await drives.move(call.project, call.name, body);
    return json(200, { moved: body.files.length });
  },
});

export const copyFiles = operation({
  ...transfer,
  path: '/v1/{project}/{drive}/files/copy',
  summary: 'Copy files',
  answers: { 200: jsonAnswer('How many were copied', object({ copied: count })) },
  handle: async (call, { drives }: DriveServices) => {
    const body = await jsonBodyOf(call, maxTransferBodyBytes, readCopyBody);
    requireTransferWithin(call.grant, body);
    await drives.copy(call.project, call.name, body, () => call.isAbandoned);
    return json(200, { copied: body.files.length });
  },
});
