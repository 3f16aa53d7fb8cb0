import { operation } from '../../http/routing/operation.js';
import { onceReady } from '../../lib/concurrency/once-ready.js';
import { downloadAnswer, fileAnswers, keyedDownload, readParameters } from '../downloads/download.js';
import { fileNotFound, folderParameter, nameParameter, readFileName } from '../parameters.js';
import type { DriveServices } from '../service.js';

export const downloadFile = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/files/download',
  access: 'read',
  names: 'query',
  summary: 'Download a file',
  parameters: [nameParameter, folderParameter, ...readParameters],
  answers: fileAnswers,
  failures: [400, 404, 412, 416],
  handle: (call, { drives }: DriveServices) => {
    const name = readFileName(call);
    const file = drives.open(call.project, call.name, name);
    const answer = (found: Awaited<typeof file>) => {
      if (found === undefined) throw fileNotFound();
      return downloadAnswer(found, call.headers, keyedDownload(name, found));
    };
    return onceReady(file, answer);
  },
});
