import { join } from 'node:path';
import { must } from '../load/send.js';
import { freePort } from '../processes/free-port.js';
import { missingPackage, peersFolder } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import { type Contender, fileName } from './contender.js';

const program = join(peersFolder, 'node_modules', 's3rver', 'bin', 's3rver.js');

/** S3's API in Node, which accepts unsigned requests. */
export const s3rver: Contender = {
  name: 's3rver',
  about: 'S3 API in Node on files; not synced',
  missing: () => missingPackage('s3rver'),
  async start(folder) {
    const port = await freePort();
    const args = [
      program,
      '--address',
      '127.0.0.1',
      '--port',
      String(port),
      '--directory',
      join(folder, 's3'),
    ];
    return await startServer({
      name: 's3rver',
      command: process.execPath,
      args: [...args, '--silent', '--configure-bucket', 'files'],
      folder,
      port,
    });
  },
  files: {
    upload: (bytes) => ({
      request: { method: 'PUT', path: `/files/${fileName(bytes.length)}`, body: bytes },
      status: 200,
    }),
    download: (bytes) => ({
      request: { method: 'GET', path: `/files/${fileName(bytes.length)}` },
      status: 200,
      body: bytes,
    }),
    async uploadLarge(url, bytes) {
      const path = `/files/${fileName(bytes.length).replace('{key}', '0'.repeat(12))}`;
      await must(url, { method: 'PUT', path, body: bytes }, 200);
    },
  },
};
