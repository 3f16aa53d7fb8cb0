import { Server } from 'node:http';
import { openStoredLog } from '../feed/stored-log.js';
import { createKeyRing } from '../keys/key-ring.js';
import { tidyKeys } from '../keys/tidy-keys.js';
import { type Closers, closeAll } from '../lib/concurrency/closers.js';
import { openProjectRegistry } from '../projects/project-registry.js';
import { createApp } from '../server/app.js';
import type { AppDependencies } from '../server/app-dependencies.js';
import { openStore } from '../store/open-store.js';
import { fillStore, type Snapshot } from './snapshot.js';

export interface WorldOptions extends Pick<AppDependencies, 'settings' | 'clock' | 'log'> {
  readonly keys: readonly string[];
}

/**
 * Opens a world, the service over engines in memory: empty, or as it was when the snapshot was taken. A reset and a restore
 * replace it as a whole, so nothing of the old one is left.
 */
export async function openWorld({ settings, keys, clock, log }: WorldOptions, snapshot?: Snapshot) {
  const closers: Closers = [];
  const { items, blobs } = await openStore(settings, { variables: {}, closers });
  if (snapshot !== undefined) await fillStore({ items, blobs }, snapshot);
  const changes = await openStoredLog(items, clock, settings.keepChangesMs > 0);
  const keyRing = await createKeyRing(items, keys, clock, { log });
  const app = createApp({
    items,
    blobs,
    keys: keyRing,
    projects: await openProjectRegistry(items, settings.quota),
    changes,
    settings,
    clock,
    log,
  });
  const work: Closers = [app.close, tidyKeys(keyRing, log)];
  const http = new Server();
  app.attach(http);
  app.startMaintenance();
  return {
    store: { items, blobs },
    /** Answers the requests that are emitted on it. It never listens. */
    http,
    /** Ends its background work. Requests in progress end over its engines, which hold nothing but memory. */
    close: () => closeAll(work),
  };
}
