import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../load/send.js';
import { freePort } from '../processes/free-port.js';
import { missingPackage, peersFolder } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import { type Contender, fileName } from './contender.js';

const offsetBytes = 'application/offset+octet-stream';
const partBytes = 10 * 1024 * 1024;

/**
 * Resumable uploads in Node; the server in bench/peers takes the name from the query. Downloads are left out: version
 * 2.4.5 ends when a client disconnects during one.
 */
export const tus: Contender = {
  name: 'tus',
  about: '@tus/server with its file store; not synced',
  missing: () => missingPackage('@tus/server', '@tus/file-store'),
  async start(folder) {
    const port = await freePort();
    const files = join(folder, 'files');
    mkdirSync(files, { recursive: true });
    const args = [join(peersFolder, 'tus-server.mjs'), String(port), files];
    return await startServer({ name: 'tus', command: process.execPath, args, folder, port });
  },
  files: {
    upload: (bytes) => ({
      request: {
        method: 'POST',
        path: `/files?name=${fileName(bytes.length)}`,
        headers: { ...creation(bytes), 'Content-Type': offsetBytes },
        body: bytes,
      },
      status: 201,
    }),
    async uploadLarge(url, bytes) {
      const name = fileName(bytes.length).replace('{key}', '0'.repeat(12));
      await must(url, { method: 'POST', path: `/files?name=${name}`, headers: creation(bytes) }, 201);
      for (let offset = 0; offset < bytes.length; offset += partBytes) {
        const headers = {
          'Tus-Resumable': '1.0.0',
          'Upload-Offset': String(offset),
          'Content-Type': offsetBytes,
        };
        const body = bytes.subarray(offset, offset + partBytes);
        await must(url, { method: 'PATCH', path: `/files/${name}`, headers, body }, 204);
      }
    },
  },
};

function creation(bytes: Buffer): Record<string, string> {
  return { 'Tus-Resumable': '1.0.0', 'Upload-Length': String(bytes.length) };
}
