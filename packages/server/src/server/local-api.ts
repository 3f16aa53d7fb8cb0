import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import type { Store } from '../engines/store.js';
import { openStoredLog } from '../feed/stored-log.js';
import { createKeyRing } from '../keys/key-ring.js';
import { openProjectRegistry } from '../projects/project-registry.js';
import { createApp } from './app.js';
import { openOwnerSocket, withOwnerSocket } from './control/owner-socket.js';

const noLog = { info() {}, error() {} };

/**
 * Serves the HTTP API over an open store to this process alone, as long as `work` runs: a command then works on a store
 * without a server as it does on one with a server.
 */
export async function withLocalApi<T>(
  { items, blobs }: Store,
  settings: Settings & { readonly writes?: boolean },
  work: (socketPath: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-'));
  // What is written without a server is noted, too. What only reads needs no room on the disk.
  const changes = settings.writes
    ? await openStoredLog(items, Date.now, settings.keepChangesMs > 0)
    : undefined;
  const app = createApp({
    items,
    blobs,
    changes,
    keys: await createKeyRing(items, [], Date.now, { log: noLog }),
    projects: await openProjectRegistry(items, settings.quota),
    settings,
    clock: Date.now,
    log: noLog,
  });
  try {
    const socket = await openOwnerSocket(folder, app);
    try {
      return (await withOwnerSocket(folder, work))?.result as T;
    } finally {
      await socket.close();
    }
  } finally {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  }
}
