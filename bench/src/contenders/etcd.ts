import { join } from 'node:path';
import type { RequestTemplate } from '../load/request-template.js';
import { freePort } from '../processes/free-port.js';
import { commandPath, missingCommand } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import { keylessItem } from './item.js';

const value = Buffer.from(keylessItem).toString('base64');

/** etcd through its JSON gateway, where keys and values are in base64. */
export const etcd: Contender = {
  name: 'etcd',
  about: 'etcd, one member, through its JSON gateway; its log synced at every write',
  missing: () => missingCommand('etcd'),
  async start(folder) {
    const [port, peerPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    return await startServer({
      name: 'etcd',
      command: commandPath('etcd')!,
      args: [
        '--name=bench',
        `--data-dir=${join(folder, 'etcd')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=bench=${peerUrl}`,
        '--quota-backend-bytes=8589934592',
        '--log-level=error',
      ],
      folder,
      port,
    });
  },
  items: {
    get: {
      request: post('/v3/kv/range', { key: '{key64}' }),
      status: 200,
      includes: ['"key":"{key64}"', value],
    },
    put: { request: post('/v3/kv/put', { key: '{key64}', value }), status: 200, includes: ['"revision":'] },
    put25: {
      request: post('/v3/kv/txn', { success: puts(25) }),
      status: 200,
      includes: ['"succeeded":true'],
    },
    insert: {
      request: post('/v3/kv/txn', {
        compare: [{ key: '{key64}', target: 'CREATE', result: 'EQUAL', create_revision: '0' }],
        success: puts(1),
      }),
      status: 200,
      includes: ['"succeeded":true'],
    },
  },
};

function puts(count: number): object[] {
  return Array.from({ length: count }, (_, slot) => ({ requestPut: { key: `{key64:${slot}}`, value } }));
}

function post(path: string, body: object): RequestTemplate {
  return {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}
