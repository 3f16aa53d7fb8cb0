import { fileURLToPath } from 'node:url';
import type { Operation } from '../load/operation.js';
import { freePort } from '../processes/free-port.js';
import { startServer } from '../processes/server-process.js';
import { basedriveItems } from './basedrive-operations.js';
import type { Contender } from './contender.js';

const program = fileURLToPath(new URL('../baselines/json-reader.js', import.meta.url));
const read: Pick<Operation, 'status' | 'includes'> = { status: 200, includes: ['{"read":1}'] };
const { put, put25, insert, increment } = basedriveItems();

/** The upper bound of a write in one Node process. */
export const bareJson: Contender = {
  name: 'bare json',
  about: 'baseline: node:http that reads and parses a JSON body and answers; nothing stored',
  async start(folder) {
    const port = await freePort();
    const args = [program, String(port)];
    return await startServer({ name: 'bare-json', command: process.execPath, args, folder, port });
  },
  items: {
    put: { request: put.request, ...read },
    put25: { request: put25.request, ...read },
    insert: { request: insert.request, ...read },
    increment: { request: increment.request, ...read },
  },
};
