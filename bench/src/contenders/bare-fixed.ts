import { fileURLToPath } from 'node:url';
import { freePort } from '../processes/free-port.js';
import { startServer } from '../processes/server-process.js';
import { basedriveItems } from './basedrive-operations.js';
import type { Contender } from './contender.js';
import { keylessItem } from './item.js';

const program = fileURLToPath(new URL('../baselines/fixed-answer.js', import.meta.url));

/** The limit of a GET in one process of Node. */
export const bareFixed: Contender = {
  name: 'bare fixed',
  about: 'limit: node:http that answers a fixed buffer of 300 bytes',
  async start(folder) {
    const port = await freePort();
    const args = [program, String(port), keylessItem];
    return await startServer({ name: 'bare-fixed', command: process.execPath, args, folder, port });
  },
  items: { get: { request: basedriveItems().get.request, status: 200, includes: [keylessItem] } },
};
