import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../load/send.js';
import { freePort } from '../processes/free-port.js';
import { commandPath, missingCommand } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import { type Contender, fileName } from './contender.js';

/** Static files from C: the upper bound of downloads. Its uploads are not synced. */
export const nginx: Contender = {
  name: 'nginx',
  about:
    'baseline of downloads: static files with sendfile; uploads by WebDAV, not synced; one worker process',
  missing: () => missingCommand('nginx'),
  async start(folder) {
    for (const name of ['files', 'temp']) mkdirSync(join(folder, name), { recursive: true });
    const port = await freePort();
    const config = join(folder, 'nginx.conf');
    writeFileSync(config, nginxConfig(folder, port));
    const args = ['-p', folder, '-c', config, '-e', join(folder, 'error.log')];
    return await startServer({ name: 'nginx', command: commandPath('nginx')!, args, folder, port });
  },
  files: {
    upload: (bytes) => ({
      request: { method: 'PUT', path: `/${fileName(bytes.length)}`, body: bytes },
      status: [201, 204],
    }),
    download: (bytes) => ({
      request: { method: 'GET', path: `/${fileName(bytes.length)}` },
      status: 200,
      body: bytes,
    }),
    downloadPart: (bytes, from, to) => ({
      request: {
        method: 'GET',
        path: `/${fileName(bytes.length)}`,
        headers: { Range: `bytes=${from}-${to - 1}` },
      },
      status: 206,
      body: bytes.subarray(from, to),
    }),
    async uploadLarge(url, bytes) {
      const path = `/${fileName(bytes.length).replace('{key}', '0'.repeat(12))}`;
      await must(url, { method: 'PUT', path, body: bytes }, 201, 204);
    },
  },
};

function nginxConfig(folder: string, port: number): string {
  // If nginx runs as root, its workers run as the user nobody, which may not write to the folder.
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_temp_path ${folder}/temp;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location / { dav_methods PUT; }
  }
}
`;
}
