import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Environment, Settings } from '../config/settings.js';
import { findConsole } from '../console/files.js';
import { openStoredLog } from '../feed/stored-log.js';
import { readKeyFile } from '../keys/key-file.js';
import { createKeyRing, type KeyRing } from '../keys/key-ring.js';
import { tidyKeys } from '../keys/tidy-keys.js';
import { type Closers, closeAll } from '../lib/concurrency/closers.js';
import { boundHeapGrowth } from '../lib/heap-growth.js';
import type { Log } from '../lib/log.js';
import { version } from '../lib/version.js';
import { loadOptional } from '../optional-packages.js';
import { readAdminKey } from '../projects/admin-key.js';
import { setDefaultQuota } from '../projects/default-quota.js';
import { openProjectRegistry } from '../projects/project-registry.js';
import { leaveCopy, type StandbyPosition } from '../store/copy/copy-marker.js';
import { guardBlobs } from '../store/guarded-blobs.js';
import { closeInTime, describePlaces, openStore } from '../store/open-store.js';
import { orphanAgeSeconds } from '../store/orphans.js';
import { type App, createApp } from './app.js';
import type { AppDependencies } from './app-dependencies.js';
import { backupOperations } from './control/backup-operation.js';
import { checkOperations } from './control/check-operation.js';
import { copyOperations } from './control/copy-operation.js';
import { keyOperations } from './control/key-operations.js';
import { openOwnerSocket } from './control/owner-socket.js';
import { projectOperations } from './control/project-operations.js';
import { openControl } from './control/socket.js';
import { createStandbys, type Standbys } from './control/standby-operation.js';
import { createDamageLog } from './damage-log.js';
import { checkAddress } from './listen.js';
import { type Loggers, openLog } from './log-output.js';
import type { Metrics } from './metrics/metrics.js';
import { serveMetrics } from './metrics/serve-metrics.js';
import { reclaimBuffers } from './reclaim-buffers.js';
import { refresh } from './refresh.js';
import { type Service, serviceUrl } from './service.js';
import type { CertificatePair } from './tls/certificate-source.js';
import { expiryWarning } from './tls/expiry.js';
import { openCertificate } from './tls/open-certificate.js';
import { watchCertificate } from './tls/watch-certificate.js';
import { collectorUrl } from './traces/collector.js';
import { serverAttributes } from './traces/server-attributes.js';
import type { Traces } from './traces/traces.js';
import { createWakefulness } from './wakefulness.js';
import { openWebServer, type WebServer } from './web-server.js';

/** What a start needs in addition to the settings. */
export interface StartOptions {
  readonly environment: Environment;
  readonly logFormat: 'json' | 'pretty';
}

/**
 * Opens the engines, accepts commands, then listens. If a step fails, everything that was opened before is closed.
 * Throws `OperatorError`.
 */
export async function start(settings: Settings, { environment, logFormat }: StartOptions): Promise<Service> {
  const closers: Closers = [];
  const { flush, ...loggers } = await openLog(settings.logLevel, logFormat);
  const { logger } = loggers;
  try {
    const service = await open(settings, environment, loggers, closers);
    logStart(service, settings, logger);
    return {
      ...service,
      async stop(signal) {
        logger.info({ signal, requestsInFlight: service.requestsInFlight() }, 'stopping');
        try {
          await closeAll(closers);
          logger.info({}, 'stopped');
        } finally {
          flush();
        }
      },
    };
  } catch (cause) {
    await closeAll(closers).finally(flush);
    throw cause;
  }
}

function logStart(service: Omit<Service, 'stop'>, { host }: Settings, logger: Logger): void {
  const address = serviceUrl(host, service);
  logger.info({ version: version(), address, store: service.places }, 'started');
  for (const warning of service.warnings) logger.warn({}, warning);
}

async function open(
  settings: Settings,
  environment: Environment,
  { logger: log, logRequest }: Loggers,
  closers: Closers,
): Promise<Omit<Service, 'stop'>> {
  const clock = Date.now;
  const { keyFile, adminKeyFile } = settings;
  boundHeapGrowth();
  const stopReclaiming = reclaimBuffers();
  closers.push(async () => stopReclaiming());
  const fileKeys = keyFile === undefined ? [] : await readKeyFile(keyFile);
  const adminKey = adminKeyFile === undefined ? undefined : await readAdminKey(adminKeyFile);
  const engines = await openEngines(settings, environment, log, closers);
  const { items, blobs, folder, metrics, traces, onDamage } = engines;
  const standby = await leaveCopy(items);
  const changes = await openStoredLog(items, clock, settings.keepChangesMs > 0);
  const keys = await createKeyRing(items, [...settings.keys, ...fileKeys], clock, { log });
  if (await setDefaultQuota(items, settings.quota))
    log.info(settings.quota, 'all servers now have the --quota of this one');
  const projects = await openProjectRegistry(items, settings.quota);
  const wakefulness = items.isShared
    ? createWakefulness({ reload: () => Promise.all([keys.reload(), projects.reload()]) })
    : undefined;
  closers.push(async () => wakefulness?.stop());
  const consoleFolder = settings.console === 'on' ? findConsole() : undefined;
  const app = createApp({
    items,
    blobs,
    keys,
    projects,
    wakefulness,
    adminKey,
    changes,
    settings,
    consoleFolder,
    clock,
    log,
    logRequest,
    observer: metrics?.observer,
    onDamage,
    trace: traces?.requests,
  });
  closers.push(closeInTime(settings.items ?? settings.blobs, app.close));
  if (items.isShared) {
    closers.push(closeInTime(settings.items, refresh('keys', keys, log)));
    closers.push(closeInTime(settings.items, refresh('projects', projects, log)));
  }
  closers.push(closeInTime(settings.items, tidyKeys(keys, log)));

  // Opened before the web server and closed after it: commands are answered while it finishes requests. Only for rows
  // that this process has for itself: commands work on shared rows directly.
  let standbys: Standbys['known'] = () => [];
  if (folder !== undefined && settings.items === undefined) {
    const store = { items, blobs, changes, folder: folder.path };
    const control = { settings, environment, clock, log, closers };
    standbys = await openSockets(store, { keys, app }, control);
  }

  const certificate = await openCertificate(settings, folder, closers);
  const { web, warnings } = await listenForClients(settings, certificate?.pair, app, { environment, log });
  closers.push(web.stop, async () => app.endFeeds());
  if (certificate !== undefined) {
    closers.push(watchCertificate(certificate, web.useCertificate, log));
  }
  const expiry = certificate && expiryWarning(certificate.pair, Date.now());
  const metricsUrl =
    metrics &&
    (await serveMetrics(metrics, settings, {
      app,
      web,
      items,
      standbys,
      folder: folder?.path,
      log,
      closers,
    }));
  app.startMaintenance();
  return {
    port: web.port,
    keys,
    items,
    places: describePlaces(settings, folder),
    warnings: [
      ...promotionWarnings(standby),
      ...engines.warnings,
      ...warnings,
      ...(expiry === undefined ? [] : [expiry]),
    ],
    hasConsole: consoleFolder !== undefined,
    requestsInFlight: () => app.state().requestsInFlight,
    secure: certificate !== undefined,
    caFile: certificate?.caFile,
    metricsUrl,
    tracesUrl: traces?.url,
  };
}

/** Listens in this process, or in fronts, which are imported only then. Throws `OperatorError`. */
async function listenForClients(
  settings: Settings,
  certificate: CertificatePair | undefined,
  { attach }: App,
  { environment, log }: { readonly environment: Environment; readonly log: Log },
): Promise<{ readonly web: WebServer; readonly warnings: readonly string[] }> {
  if (settings.workers === 0)
    return { web: await openWebServer(settings, certificate, attach, log), warnings: [] };
  const { frontCount } = await import('./fronts/front-count.js');
  const { count, warnings } = frontCount(settings.workers);
  if (count === 0) return { web: await openWebServer(settings, certificate, attach, log), warnings };
  const { openFrontedServer } = await import('./fronts/fronted-server.js');
  return {
    web: await openFrontedServer(settings, certificate, attach, { count, environment, log }),
    warnings,
  };
}

/** Opens the engines, and what observes their calls. */
async function openEngines(settings: Settings, environment: Environment, log: Log, closers: Closers) {
  const metrics = settings.metrics === undefined ? undefined : await loadMetrics();
  const traces = settings.traces === 'on' ? await loadTraces(settings, environment, log) : undefined;
  if (traces !== undefined) closers.push(traces.close);
  await checkAddresses(settings);
  const onDamage = createDamageLog(log);
  const { onGroup } = metrics ?? {};
  const opened = await openStore(settings, { variables: environment, closers, onGroup, onDamage });
  const { identity, blobsPlace: place } = opened;
  const guarded = guardBlobs(opened.blobs, { identity, place, log });
  closers.push(closeInTime(settings.blobs, guarded.start()));
  const store = { items: opened.items, blobs: guarded.blobs };
  const measured = metrics?.observe(store) ?? store;
  const { items, blobs } = traces?.observe(measured) ?? measured;
  const { folder, warnings } = opened;
  return { items, blobs, folder, warnings, metrics, traces, onDamage };
}

interface FolderStore extends Pick<AppDependencies, 'items' | 'blobs' | 'changes'> {
  readonly folder: string;
}

interface SocketOptions extends Pick<AppDependencies, 'settings' | 'clock' | 'log'> {
  readonly environment: Environment;
  readonly closers: Closers;
}

/** Opens the sockets through which commands reach the rows that this process has. Gives the standbys that they keep. */
async function openSockets(
  { items, blobs, changes, folder }: FolderStore,
  { keys, app }: { readonly keys: KeyRing; readonly app: App },
  { settings, environment, clock, log, closers }: SocketOptions,
): Promise<Standbys['known']> {
  const { holdGarbage } = app;
  const copying = { blobs: settings.blobs, environment, holdGarbage };
  const standbys = createStandbys({ items, blobs }, changes, copying);
  const ageSeconds = orphanAgeSeconds(settings.requestTimeoutMs);
  const operations = {
    ...keyOperations(keys),
    ...checkOperations({ items, blobs, clock, folder, orphanAgeSeconds: ageSeconds, holdGarbage }),
    ...copyOperations({ items, blobs }, copying),
    ...standbys.operations,
    ...projectOperations(items),
    ...backupOperations({ items, blobs }, copying),
  };
  const logFailure = (cause: unknown) => log.error({ err: cause }, 'command failed');
  closers.push((await openControl(folder, operations, logFailure)).close);
  closers.push((await openOwnerSocket(folder, app)).close);
  return standbys.known;
}

/** What an operator must know who starts a server on a standby. */
function promotionWarnings(standby: StandbyPosition | undefined): readonly string[] {
  if (standby === undefined) return [];
  const asOf = new Date(standby.asOfMs).toISOString();
  if (standby.isChanged)
    return [
      `This store was a standby, which a command has changed, or which has lost rows: it may lack some of what its source acknowledged before ${asOf}`,
    ];
  const behind = standby.isTorn ? '. It was behind: of transactions after that, it may have a part' : '';
  return [`This store was a standby: it has everything that its source acknowledged before ${asOf}${behind}`];
}

/**
 * Finds an address that cannot be used before a data folder is made. When the folder is there, it is opened first: that
 * it is in use says more about a server that was started twice. Throws `OperatorError`.
 */
async function checkAddresses({ memory, dataFolder, host, port, metrics }: Settings): Promise<void> {
  if (memory || existsSync(dataFolder)) return;
  await checkAddress({ host, port, setting: '--port' });
  if (metrics !== undefined) await checkAddress({ ...metrics, setting: '--metrics' });
}

/** Imported only here: a server without metrics starts without the library. */
async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import('./metrics/metrics.js');
  return createMetrics();
}

/** Imported only here: a server without traces starts without the SDK of OpenTelemetry. Throws `OperatorError`. */
async function loadTraces(
  settings: Settings,
  environment: Environment,
  log: Log,
): Promise<Traces & { readonly url: string }> {
  const url = collectorUrl(environment);
  const { createTraces } = await loadOptional('--traces on', () => import('./traces/traces.js'));
  return { ...createTraces(serverAttributes(settings), log), url };
}
