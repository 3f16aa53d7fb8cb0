import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { repository } from '../processes/installed.js';
import { type Running, startServer } from '../processes/server-process.js';
import {
  apiKey,
  basedriveBulk,
  basedriveDownload,
  basedriveDownloadPart,
  basedriveItems,
  basedriveRanges,
  basedriveUpload,
  basedriveUploadLarge,
  makeBasedriveIndex,
} from './basedrive-operations.js';
import type { Contender } from './contender.js';

const compiled = join(repository, 'packages', 'server', 'dist', 'src');
/** The program in its modules. */
export const modules = join(compiled, 'main.js');
/** What `npm start` and the published package run. */
export const program = join(compiled, 'bundled', 'run-process.js');

/** Starts the service on its embedded engines, with its default settings but for `flags`; `main`: of another build. */
export async function startBasedrive(
  folder: string,
  flags: readonly string[] = [],
  main = program,
): Promise<Running> {
  const port = await freePort();
  const https = flags.includes('--https');
  return await startServer({
    name: 'basedrive',
    command: process.execPath,
    args: [main, '--data', join(folder, 'data'), '--port', String(port), '--key', apiKey, ...flags],
    // The other servers do not log each request either. BASEDRIVE_LOG_LEVEL=info in the environment shows its cost.
    // `npm start`, the archive, the image and the systemd unit set MALLOC_ARENA_MAX.
    env: { BASEDRIVE_LOG_LEVEL: process.env.BASEDRIVE_LOG_LEVEL ?? 'warn', MALLOC_ARENA_MAX: '2' },
    folder,
    port,
    https,
  });
}

/** The service with its default settings, on its embedded engines. */
export const basedrive: Contender = {
  name: 'basedrive',
  about: 'this service on LevelDB and files; every write synced before the answer',
  missing: () => (existsSync(program) ? undefined : 'not compiled'),
  start: (folder) => startBasedrive(folder),
  items: basedriveItems(),
  bulk: basedriveBulk,
  ranges: basedriveRanges,
  makeIndex: makeBasedriveIndex,
  files: {
    upload: basedriveUpload,
    download: basedriveDownload,
    downloadPart: basedriveDownloadPart,
    uploadLarge: basedriveUploadLarge,
  },
};
