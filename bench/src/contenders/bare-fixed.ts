import { fileURLToPath } from 'node:url';
import { freePort } from '../processes/free-port.js';
import { startServer } from '../processes/server-process.js';
import { basedriveItems } from './basedrive-operations.js';
import type { Contender } from './contender.js';
import { keylessItem } from './item.js';

const program = fileURLToPath(new URL('../baselines/fixed-answer.js', import.meta.url));

/** The upper bound of a GET in one Node process. */
export const bareFixed: Contender = {
  name: 'bare fixed',
  about: 'baseline: node:http that answers with a fixed buffer of 300 bytes',
  async start(folder) {
    const port = await freePort();
    const args = [program, String(port), keylessItem];
    return await startServer({ name: 'bare-fixed', command: process.execPath, args, folder, port });
  },
  items: { get: { request: basedriveItems().get.request, status: 200, includes: [keylessItem] } },
};
