import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { missingPackage, peersFolder } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import {
  handwrittenBulk,
  handwrittenItems,
  handwrittenRanges,
  makeHandwrittenIndex,
} from './handwritten-operations.js';

/** What a developer would write on SQLite. */
export const sqlite: Contender = {
  name: 'sqlite by hand',
  about: 'node:http on SQLite: WAL, synchronous FULL, one commit a request',
  missing: () => missingPackage('@photostructure/sqlite'),
  async start(folder) {
    const port = await freePort();
    const args = [join(peersFolder, 'sqlite-server.mjs'), String(port), join(folder, 'items.db')];
    return await startServer({ name: 'sqlite', command: process.execPath, args, folder, port });
  },
  items: handwrittenItems,
  bulk: handwrittenBulk,
  ranges: handwrittenRanges,
  makeIndex: makeHandwrittenIndex,
};
