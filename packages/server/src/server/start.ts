import type { Environment, Settings } from '../config/settings.js';
import type { ItemStore } from '../engines/item-store.js';
import { createKeyRing, type KeyRing } from '../keys/key-ring.js';
import { refreshKeys } from '../keys/refresh-keys.js';
import { type Closers, closeAll } from '../lib/closers.js';
import { leaveCopy } from '../store/copy/claim.js';
import { closeInTime, describePlaces, openStore } from '../store/open-store.js';
import { orphanAgeSeconds } from '../store/orphans.js';
import { createApp } from './app.js';
import { checkOperations } from './control/check-operation.js';
import { copyOperations } from './control/copy-operation.js';
import { keyOperations } from './control/key-operations.js';
import { openControl } from './control/socket.js';
import { openLog } from './log.js';
import { openCertificate } from './open-certificate.js';
import { watchCertificate } from './tls/watch-certificate.js';
import { openWebServer } from './web-server.js';

/** A running service. */
export interface Service {
  /** The real port, when any free one was asked for. */
  readonly port: number;
  readonly keys: KeyRing;
  readonly items: ItemStore;
  /** Where its data lies, for people. */
  readonly places: string;
  readonly secure: boolean;
  /** The authority that signed a certificate of our own making. */
  readonly caFile: string | undefined;
  /** Finishes what runs, within the grace, and closes everything that was opened. */
  stop(): Promise<void>;
}

/**
 * Opens the engines, lets commands in, then listens. What was opened is closed again when a later step
 * fails. Throws `OperatorError`.
 */
export async function start(settings: Settings, environment: Environment): Promise<Service> {
  const closers: Closers = [];
  const stop = () => closeAll(closers);
  try {
    return { ...(await open(settings, environment, closers)), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function open(
  settings: Settings,
  environment: Environment,
  closers: Closers,
): Promise<Omit<Service, 'stop'>> {
  const clock = Date.now;
  const log = openLog(settings.logLevel);
  closers.push(log.flush);

  const { items, blobs, folder } = await openStore(settings, environment, closers);
  await leaveCopy(items);
  const keys = await createKeyRing(items, settings.keys, clock);
  const app = createApp({
    items,
    blobs,
    authenticate: keys.authenticate,
    settings: { ...settings, uploadTtlSeconds: Math.ceil(settings.uploadTtlMs / 1000) },
    clock,
    log: log.logger,
  });
  closers.push(closeInTime(settings.items ?? settings.blobs, app.close));
  if (items.isShared) closers.push(closeInTime(settings.items, refreshKeys(keys, log.logger)));

  // Before the web server, so that commands are still answered while it finishes what runs. Only for rows that
  // this process has for itself: to shared ones a command goes by itself, whichever servers run.
  if (folder !== undefined && settings.items === undefined) {
    const checkParts = {
      items,
      blobs,
      clock,
      folder: folder.path,
      orphanAgeSeconds: orphanAgeSeconds(settings.requestTimeoutMs),
    };
    const operations = {
      ...keyOperations(keys),
      ...checkOperations(checkParts),
      ...copyOperations({ items, blobs }, { blobs: settings.blobs, environment }),
    };
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
    closers.push(watchCertificate(certificate, web.useCertificate, log.logger));
  }
  app.startMaintenance();
  return {
    port: web.port,
    keys,
    items,
    places: describePlaces(settings, folder),
    secure: certificate !== undefined,
    caFile: certificate?.caFile,
  };
}
