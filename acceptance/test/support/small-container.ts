import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSender, largestPut, type Sender } from '../../src/abuse/mixed-load.js';
import { makeControlGroup, within } from '../../src/control-group.js';
import { dataFlags, startServer } from '../../src/server-process.js';
import { ownKey, type Target } from '../../src/target.js';

/** docs/operations.md#memory: the least memory with which a server is supported. */
const containerBytes = 256 * 1024 * 1024;

/** Runs a server in a control group with so little memory. The kernel must not have killed it at the end. */
export async function inContainer(
  options: readonly string[],
  use: (sender: Sender, target: Target) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-small-'));
  const group = makeControlGroup(containerBytes);
  try {
    const server = await startServer([...dataFlags(folder, ownKey), ...options], {
      wrapper: within(group.processes),
      environment,
    });
    let hasEnded = false;
    void server.ended.then(() => {
      hasEnded = true;
    });
    const [, ca = ''] = /NODE_EXTRA_CA_CERTS=(\S+)/.exec(server.announced()) ?? [];
    const authority = ca === '' ? {} : { authority: await readFile(ca) };
    const target = {
      ...server,
      ...authority,
      key: ownKey,
      project: 'demo',
      otherKey: '',
      close: async () => {},
    };
    const sender = createSender(target);
    try {
      await use(sender, target);
      assert.equal(hasEnded, false, `the server has ended: ${server.announced()}`);
      const put = await sender.send('afterwards', {
        method: 'PUT',
        path: '/large/items',
        body: largestPut(),
      });
      assert.equal(put.status, 207, 'the largest body is accepted when nothing else is there');
    } finally {
      sender.close();
      assert.equal(group.killed(), 0, 'the kernel has killed the server');
      if (!hasEnded) assert.equal(await server.stop(), 0);
    }
  } finally {
    await group.remove();
    await rm(folder, { recursive: true });
  }
}
