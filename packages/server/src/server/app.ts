import type { Server } from 'node:http';
import { type Grant, unlimitedGrant } from '../access/grant.js';
import { createBaseService } from '../base/service.js';
import { createCatalogService } from '../catalog/service.js';
import { consolePages } from '../console/pages.js';
import { createDriveService } from '../drive/service.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { OnDamage } from '../engines/engine.js';
import type { ItemStore } from '../engines/item-store.js';
import { createRetention } from '../feed/retention.js';
import { createFeedService } from '../feed/service.js';
import type { StoredLog } from '../feed/stored-log.js';
import type { DeliveryState } from '../hooks/deliveries.js';
import type { OnSent } from '../hooks/delivery.js';
import { reachableAddresses } from '../hooks/reachable.js';
import { createSend } from '../hooks/send.js';
import { createHooks } from '../hooks/service.js';
import { createStoredHooks } from '../hooks/stored-hooks.js';
import type { OnAnswered, RequestTrace } from '../http/answering.js';
import type { CorsOrigins } from '../http/answers/cors.js';
import { createNamedTransactions } from '../http/answers/named-transactions.js';
import { parseInPieces } from '../http/connections/paced-reading.js';
import { connectionEvent } from '../http/fast-path/fast-path.js';
import { createReadiness } from '../http/health/readiness.js';
import { createListener, type Listener } from '../http/listener.js';
import { createValueBudget } from '../http/memory/budgets.js';
import type { BufferState } from '../http/memory/buffer-budget.js';
import type { LogRequest } from '../http/request-log.js';
import { createRouter } from '../http/routing/router.js';
import { projectOf } from '../keys/key-format.js';
import { createKeyLists } from '../keys/key-lists.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { CacheCounts } from '../lib/cache-counts.js';
import type { Clock } from '../lib/clock.js';
import { createSemaphores } from '../lib/concurrency/semaphore.js';
import type { Log } from '../lib/log.js';
import { createLease, soleServer } from '../maintenance/leader-lease.js';
import { createMaintenance, type OnHandled, type Owner } from '../maintenance/maintenance.js';
import { createOpenApi } from '../openapi/service.js';
import { operatorCheck } from '../projects/admin-key.js';
import { openQuotas } from '../projects/open-quotas.js';
import type { ProjectRegistry } from '../projects/project-registry.js';
import { createProjectService } from '../projects/service.js';
import type { QuotaState } from '../quotas/ledgers.js';
import { createS3Door } from '../s3/door.js';
import { createListedLinks } from '../sharing/listed-links.js';
import { createPublicPrefixStore } from '../sharing/public-prefixes.js';
import { baseSpaces } from '../spaces.js';
import { createOrphanSweep, type OnSearched, orphanAgeSeconds } from '../store/orphans.js';
import { createRowCheck } from '../store/row-check.js';
import { createRowShrink } from '../store/row-shrink.js';
import { createRest } from '../store/upkeep-pace.js';
import { createActivity } from './activity/activity.js';
import { createDamageLog } from './damage-log.js';
import { operations, type Services } from './operations.js';
import { valueMemory } from './value-memory.js';

export interface AppSettings {
  readonly corsOrigins: CorsOrigins;
  readonly maxItemsPerPut: number;
  readonly uploadTtlSeconds: number;
  readonly maxRequestsInFlight: number;
  readonly maxBufferedBytes: number;
  readonly idleTimeoutMs: number;
  /** Time for a whole request to arrive. */
  readonly requestTimeoutMs: number;
  /** How long the bytes of overwritten and deleted files are kept if servers share the rows. */
  readonly garbageGraceMs: number;
  /** How long the trash of a drive without settings keeps files; 0: there is none. */
  readonly trashMs: number;
  /** For how long a link may be valid. */
  readonly maxLinkMs: number;
  /** How long changes are kept for those who follow them; 0: not at all. */
  readonly keepChangesMs: number;
  /** The networks that webhooks may reach besides the public internet, in CIDR notation. */
  readonly hookNetworks: readonly string[];
  /** The address of the service for its clients; undefined: that of each request. */
  readonly publicUrl: string | undefined;
  /** Whether S3 clients are served (docs/s3.md), and the domain whose subdomains are buckets. */
  readonly s3: boolean;
  readonly s3Domain: string | undefined;
  /** Whether the server makes a certificate, and the file of the one that the operator gave. */
  readonly https: boolean;
  readonly tlsCert: string | undefined;
}

export interface AppDependencies {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly keys: KeyRing;
  readonly projects: ProjectRegistry;
  /** The key of the operator; undefined: requests cannot administer projects. */
  readonly adminKey?: string | undefined;
  /** The log of changes; undefined if none is kept. */
  readonly changes?: StoredLog | undefined;
  readonly settings: AppSettings;
  /** The folder of the built console; undefined if it is not served. */
  readonly consoleFolder?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes the lines of requests; by default, `log` does. */
  readonly logRequest?: LogRequest | undefined;
  readonly observer?: AppObserver | undefined;
  /** Is given damaged rows and files; what it was given before, too. */
  readonly onDamage?: OnDamage | undefined;
  /** Follows the requests, except those of the owner's commands. */
  readonly trace?: RequestTrace | undefined;
}

/** Is told what happens, for metrics. */
export interface AppObserver {
  readonly onAnswered: OnAnswered;
  readonly onRefused: (status: number) => void;
  readonly onHandled: OnHandled;
  readonly onSearched: OnSearched;
  readonly onSent: OnSent;
}

/** The app at this moment. */
export interface AppState {
  readonly requestsInFlight: number;
  readonly buffers: BufferState;
  /** The memory of the values that bodies have become. */
  readonly values: BufferState;
  readonly contentCache: CacheCounts;
  /** Whether this server does maintenance. */
  readonly doesMaintenance: boolean;
  readonly webhooks: DeliveryState;
  readonly quotas: QuotaState;
  /** The requests that were refused because their project had sent too many. */
  readonly requestsOverQuota: number;
  /** Who follows changes now. */
  readonly feedReaders: number;
  /** The bytes of the logs of changes, as they were counted last. */
  readonly feedLogBytes: number;
}

export interface App {
  /** Makes an HTTP or HTTPS server serve this app. */
  attach(server: Server): void;
  /**
   * Makes a server serve this app to the owner of the store: the header `X-API-Key` only says which project a request
   * is about, `{project}_…`. Only the owner may be able to connect to that server.
   */
  attachForOwner(server: Server): void;
  state(): AppState;
  /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
  holdGarbage(): () => void;
  /** Ends the streams of changes and the webhooks, which would go on for good. */
  endFeeds(): void;
  /** Starts maintenance: expiry, dropped uploads, garbage, orphans, the daily check of rows. */
  startMaintenance(): void;
  /** Ends maintenance. The engines belong to the caller, who closes them afterwards. */
  close(): Promise<void>;
}

/** How many messages of webhooks are sent at once for a project. */
const hooksAtOnce = 4;

/** Wires services, routes and maintenance over two engines. Opens nothing and listens nowhere. */
export function createApp(dependencies: AppDependencies): App {
  const { blobs, keys, settings, clock, log, logRequest, observer, trace } = dependencies;
  const named = createNamedTransactions(dependencies.items);
  const { items } = named;
  const { projects: registry } = dependencies;
  const leadership = items.isShared ? createLease({ items, log }) : soleServer;
  const mayWork = leadership.isHeld;
  const memory = valueMemory();
  const storedValues = createValueBudget(memory.ofStoredItems);
  const counting = countingPace();
  const { beginRests } = counting;
  const { ledgers, accounts } = openQuotas(items, registry);
  const bases = createBaseService(items, clock, { mayWork, log, beginRests }, storedValues, ledgers);
  // The sweep waits for downloads on this server. It cannot see the leases of other servers, so it gives them time.
  const garbageGraceSeconds = items.isShared ? Math.ceil(settings.garbageGraceMs / 1000) : 0;
  const trashSeconds = Math.ceil(settings.trashMs / 1000);
  const driveSettings = { ...settings, garbageGraceSeconds, trashSeconds };
  const wakeMaintenance = () => background.wake();
  const onError = (cause: unknown) => log.error({ err: cause }, 'counting failed and will be repeated');
  const drives = createDriveService({
    items,
    blobs,
    clock,
    settings: driveSettings,
    ledgers,
    wakeMaintenance,
    counting: { mayWork, onError, beginRests },
  });
  const onUncounted = (space: string) => (space.startsWith(baseSpaces) ? bases : drives).startCount(space);
  const catalog = createCatalogService(items, clock, { beginRests, onError, onUncounted });
  const feed = createFeedService(items, dependencies.changes, clock);
  const mayReach = reachableAddresses(settings.hookNetworks);
  const hooks = createHooks({
    items,
    stored: createStoredHooks(items),
    feed,
    keys,
    clock,
    log,
    mayWork,
    mayReach,
    send: createSend({ mayReach }),
    sending: createSemaphores(hooksAtOnce),
    onSent: observer?.onSent,
  });
  const activity = createActivity({ catalog, clock });
  const projects = createProjectService({
    items,
    blobs,
    keys,
    catalog,
    bases,
    ledgers,
    accounts,
    registry,
    clock,
    onError: (cause) => log.error({ err: cause }, 'deleting a project failed and will be repeated'),
  });
  const owners = {
    base: bases.handleDue,
    drive: drives.sweep,
    keys: keys.handleDue,
    projects: projects.handleDue,
  };
  const background = createBackground(dependencies, owners, mayWork);
  const services: Services = {
    bases,
    maxItemsPerPut: settings.maxItemsPerPut,
    drives,
    prefixes: createPublicPrefixStore(items),
    listedLinks: createListedLinks(items, clock),
    maxLinkSeconds: Math.floor(settings.maxLinkMs / 1000),
    publicUrl: settings.publicUrl,
    isSecure: settings.https || settings.tlsCert !== undefined,
    clock,
    catalog,
    activity,
    onQuery: activity.onQuery,
    feed,
    hooks: hooks.service,
    keys,
    keyLists: createKeyLists(keys),
    projects,
    readiness: createReadiness(items, blobs, { log }),
    openApi: createOpenApi(operations),
  };
  const pages = dependencies.consoleFolder === undefined ? [] : consolePages(dependencies.consoleFolder);
  const router = createRouter([...operations, ...pages], services);
  const values = createValueBudget(memory.ofBodies);
  const serving = { router, values, clock, log, logRequest, named, projects: registry, ...settings };
  const { s3, s3Domain: domain } = settings;
  const frontDoor = s3 ? createS3Door({ keys, drives, items, clock, domain, projects: registry }) : undefined;
  const listener = createListener({
    ...serving,
    authenticate: keys.authenticate,
    readKey: keys.read,
    isOperator: operatorCheck(dependencies.adminKey),
    frontDoor,
    trace,
    ...observer,
    onAnswered: activity.counting(observer?.onAnswered),
  });
  const forOwner = createListener({ ...serving, authenticate: ownerGrant, isOperator: () => true });
  return {
    attach: (server) => connect(server, listener),
    attachForOwner: (server) => connect(server, forOwner),
    holdGarbage: drives.holdGarbage,
    state: () => ({
      requestsInFlight: listener.requestsInFlight(),
      buffers: listener.buffers(),
      values: values.state(),
      contentCache: drives.cache(),
      doesMaintenance: mayWork(),
      webhooks: hooks.state(),
      quotas: ledgers.state(),
      requestsOverQuota: registry.refusals(),
      feedReaders: feed.readers(),
      feedLogBytes: background.logBytes(),
    }),
    endFeeds() {
      void hooks.stop();
      feed.stop();
    },
    startMaintenance() {
      leadership.start();
      background.start();
      activity.start();
      hooks.start();
    },
    async close() {
      const hooksEnd = hooks.stop();
      feed.stop();
      counting.end();
      await hooksEnd;
      const parts = [background, activity, bases, drives, catalog, projects];
      await Promise.all(parts.map((part) => part.stop()));
      await leadership.stop();
    },
  };
}

/** Counting in the background takes a fifth of the time, until it is ended. */
function countingPace() {
  const ended = new AbortController();
  const pace = { share: 0.2, monotonicMs: () => performance.now(), signal: ended.signal };
  return { beginRests: () => createRest(pace), end: () => ended.abort() };
}

/** What works through the store by itself. */
function createBackground(
  { items, blobs, settings, clock, log, observer, onDamage }: AppDependencies,
  owners: Readonly<Record<string, Owner>>,
  mayWork: () => boolean,
) {
  const maintenance = createMaintenance({ items, owners, clock, log, mayWork, ...observer });
  const ageSeconds = orphanAgeSeconds(settings.requestTimeoutMs);
  const retention = createRetention({ items, clock, log, keepMs: settings.keepChangesMs, mayWork });
  const works = [
    maintenance,
    createOrphanSweep({ items, blobs, clock, ageSeconds, log, mayWork, ...observer }),
    createRowCheck({ items, log, onDamage: onDamage ?? createDamageLog(log) }),
    createRowShrink({ items, log }),
    retention,
  ];
  return {
    wake: maintenance.wake,
    logBytes: retention.logBytes,
    start(): void {
      for (const work of works) work.start();
    },
    stop: () => Promise.all(works.map((work) => work.stop())),
  };
}

function connect(server: Server, listener: Listener): void {
  server.on('request', listener.onRequest);
  server.on('checkContinue', listener.onRequest);
  server.on('checkExpectation', listener.onExpectation);
  server.on('clientError', listener.onClientError);
  server.on('connect', listener.onConnect);
  if (listener.fastPath !== undefined) listener.fastPath(server);
  else server.on(connectionEvent(server), parseInPieces);
}

/** The owner of a store may do everything in every project. */
function ownerGrant(apiKey: string | undefined): Grant | undefined {
  return apiKey?.includes('_') ? unlimitedGrant('owner', projectOf(apiKey)) : undefined;
}
