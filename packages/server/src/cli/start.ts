import { createApp } from '../app.js';
import type { Settings } from '../config.js';
import type { BlobStore } from '../engines/blob-store.js';
import { type DataFolder, openDataFolder, openRows } from '../engines/data-folder.js';
import { openFsBlobStore } from '../engines/fs.js';
import type { ItemStore } from '../engines/item-store.js';
import { openLevelStore } from '../engines/level.js';
import { openMemoryBlobStore } from '../engines/memory.js';
import { openLog } from '../log.js';
import { createKeyRing, type KeyRing } from '../projects/keys.js';
import { keepFresh } from '../tls/keep-fresh.js';
import { openCertificate } from './certificate.js';
import { checkOperations } from './check.js';
import { type Closers, closeAll } from './closers.js';
import { openControl } from './control.js';
import { keyOperations } from './key-operations.js';
import { openWebServer } from './web-server.js';

/** A running service. */
export interface Service {
  /** The real port, when any free one was asked for. */
  readonly port: number;
  readonly keys: KeyRing;
  readonly dataFolder: string | undefined;
  readonly secure: boolean;
  /** The authority that signed a certificate of our own making. */
  readonly caFile: string | undefined;
  /** Finishes what runs, within the grace, and closes everything that was opened. */
  stop(): Promise<void>;
}

interface Engines {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
}

/**
 * Opens the engines, lets commands in, then listens. What was opened is closed again when a later step
 * fails. Throws `OperatorError`.
 */
export async function start(settings: Settings): Promise<Service> {
  const closers: Closers = [];
  const stop = () => closeAll(closers);
  try {
    return { ...(await open(settings, closers)), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function open(settings: Settings, closers: Closers): Promise<Omit<Service, 'stop'>> {
  const clock = Date.now;
  const log = openLog(settings.logLevel);
  closers.push(log.flush);

  const folder = settings.memory ? undefined : await openDataFolder(settings.dataFolder);
  const { items, blobs } = await openEngines(folder, closers);
  const keys = await createKeyRing(items, settings.keys, clock);
  const app = createApp({
    items,
    blobs,
    authenticate: keys.authenticate,
    settings: { ...settings, uploadTtlSeconds: Math.ceil(settings.uploadTtlMs / 1000) },
    clock,
    log: log.logger,
  });
  closers.push(app.close);

  // Before the web server, so that commands are still answered while it finishes what runs.
  if (folder !== undefined) {
    const operations = { ...keyOperations(keys), ...checkOperations({ items, blobs }, folder.path, clock) };
    const control = await openControl(folder.path, operations, (cause) =>
      log.logger.error({ err: cause }, 'command failed'),
    );
    closers.push(control.close);
  }

  const certificate = await openCertificate(settings, folder, closers);
  const web = await openWebServer(settings, certificate?.pair, app.attach, (cause) =>
    log.logger.error({ err: cause }, 'listening failed'),
  );
  closers.push(web.stop);
  if (certificate !== undefined) {
    closers.push(keepFresh(certificate, web.useCertificate, log.logger));
  }
  app.startUpkeep();
  return {
    port: web.port,
    keys,
    dataFolder: folder?.path,
    secure: certificate !== undefined,
    caFile: certificate?.caFile,
  };
}

async function openEngines(folder: DataFolder | undefined, closers: Closers): Promise<Engines> {
  const items =
    folder === undefined ? await openLevelStore({ memory: true }) : await openRows(folder, openLevelStore);
  closers.push(items.close);
  const blobs = folder === undefined ? openMemoryBlobStore() : await openFsBlobStore(folder.blobs);
  closers.push(blobs.close);
  return { items, blobs };
}
