import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { commandPath, missingCommand } from '../processes/installed.js';
import { type Running, startServer, together } from '../processes/server-process.js';
import { basedrive, program } from './basedrive.js';
import { apiKey } from './basedrive-operations.js';
import type { Contender } from './contender.js';
import { databaseUser, missingPostgres, startPostgresCluster } from './postgres-cluster.js';

/** The service on one PostgreSQL: one server without a proxy, and several servers behind a proxy, which is one more hop. */
export const scaled: readonly Contender[] = [
  {
    ...basedrive,
    name: 'scaled',
    about: 'this service on PostgreSQL with its own defaults (every commit synced), files in a folder',
    missing: missingPostgres,
    async start(folder) {
      const { database, url } = await startDatabase(folder);
      return together([database, await startScaled(folder, 1, url)]);
    },
  },
  ...[1, 2, 4].map(
    (count): Contender => ({
      ...basedrive,
      name: `scaled × ${count} behind a proxy`,
      about: `the same with ${count === 1 ? 'the server' : `${count} servers`} behind nginx`,
      missing: () => missingPostgres() ?? missingCommand('nginx'),
      async start(folder) {
        const { database, url } = await startDatabase(folder);
        const servers: Running[] = [];
        for (let n = 1; n <= count; n++) servers.push(await startScaled(folder, n, url));
        return together([database, ...servers, await startProxy(folder, servers)]);
      },
    }),
  ),
];

async function startDatabase(folder: string): Promise<{ database: Running; url: string }> {
  const { running, port } = await startPostgresCluster(folder);
  const url = `postgres://${databaseUser}@127.0.0.1:${port}/postgres`;
  execFileSync(process.execPath, [program, 'migrate', '--items', url]);
  return { database: running, url };
}

async function startScaled(folder: string, number: number, items: string): Promise<Running> {
  const port = await freePort();
  const storeFlags = [
    '--data',
    join(folder, `server-${number}`),
    '--items',
    items,
    '--blobs',
    join(folder, 'blobs'),
  ];
  return await startServer({
    name: `server-${number}`,
    command: process.execPath,
    args: [program, ...storeFlags, '--port', String(port), '--key', apiKey],
    env: { BASEDRIVE_LOG_LEVEL: process.env.BASEDRIVE_LOG_LEVEL ?? 'warn' },
    folder,
    port,
  });
}

async function startProxy(folder: string, servers: readonly Running[]): Promise<Running> {
  const port = await freePort();
  const config = join(folder, 'proxy.conf');
  writeFileSync(config, proxyConfig(folder, port, servers));
  const args = ['-p', folder, '-c', config, '-e', join(folder, 'proxy-error.log')];
  return await startServer({ name: 'proxy', command: commandPath('nginx')!, args, folder, port });
}

function proxyConfig(folder: string, port: number, servers: readonly Running[]): string {
  const upstream = servers.map(({ url }) => `server ${new URL(url).host};`).join(' ');
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/proxy.pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  client_body_temp_path ${folder}/proxy-temp;
  proxy_temp_path ${folder}/proxy-temp;
  upstream servers { ${upstream} keepalive 512; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://servers; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;
}
