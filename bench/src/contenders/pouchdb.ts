import { join } from 'node:path';
import { must } from '../load/send.js';
import { freePort } from '../processes/free-port.js';
import { missingPackage, peersFolder } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import { item, items25 } from './item.js';

const program = join(peersFolder, 'node_modules', 'pouchdb-server', 'bin', 'pouchdb-server');
const headers = { 'Content-Type': 'application/json' };

/** CouchDB's API in Node. An overwrite needs the revision of the document first, so only new documents are written. */
export const pouchdb: Contender = {
  name: 'pouchdb-server',
  about: 'CouchDB API in Node on LevelDB; writes are not synced',
  missing: () => missingPackage('pouchdb-server'),
  async start(folder) {
    const port = await freePort();
    const args = [program, '--port', String(port), '--dir', folder, '--no-stdout-logs', '--no-color'];
    const running = await startServer({ name: 'pouchdb', command: process.execPath, args, folder, port });
    await must(running.url, { method: 'PUT', path: '/items' }, 201, 412);
    return running;
  },
  items: {
    get: {
      request: { method: 'GET', path: '/items/{key}' },
      status: 200,
      includes: ['"_id":"{key}"', 'Ada Lovelace'],
    },
    fill: {
      request: {
        method: 'POST',
        path: '/items/_bulk_docs',
        headers,
        body: `{"docs":[${items25().map(document)}]}`,
      },
      status: 201,
      includes: ['"ok":true,"id":"{key}"', '"ok":true,"id":"{key:24}"'],
    },
    insert: {
      request: { method: 'PUT', path: '/items/{key}', headers, body: document(item()) },
      status: 201,
      includes: ['"ok":true,"id":"{key}"'],
    },
  },
};

function document(text: string): string {
  return text.replace('"key":', '"_id":');
}
