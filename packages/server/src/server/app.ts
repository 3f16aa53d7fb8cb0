import type { Server } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { type Grant, unlimitedGrant } from '../access/grant.js';
import { consolePages } from '../console/pages.js';
import { parseInPieces } from '../http/connections/paced-reading.js';
import { connectionEvent } from '../http/fast-path/fast-path.js';
import { createReadiness } from '../http/health/readiness.js';
import { createListener, type Listener } from '../http/listener.js';
import { createValueBudget } from '../http/memory/budgets.js';
import { createRouter } from '../http/routing/router.js';
import { projectOf } from '../keys/key-format.js';
import { createKeyLists } from '../keys/key-lists.js';
import { memoryBytes, memoryShare } from '../lib/memory.js';
import { createOpenApi } from '../openapi/service.js';
import { operatorCheck } from '../projects/admin-key.js';
import { createS3Gateway } from '../s3/gateway.js';
import { createListedLinks } from '../sharing/listed-links.js';
import { createPublicPrefixStore } from '../sharing/public-prefixes.js';
import type { AppDependencies } from './app-dependencies.js';
import { type AppParts, createParts } from './app-parts.js';
import { operations, type Services } from './operations.js';

export type App = ReturnType<typeof createApp>;

/** Serves what works with the store to clients. Opens nothing and listens nowhere. */
export function createApp(dependencies: AppDependencies) {
  const { keys, settings, clock, log, logRequest, observer, trace, projects: registry } = dependencies;
  const memory = valueLimits();
  const parts = createParts(dependencies, createValueBudget(memory.ofStoredItems));
  const { named, items, drives, feed, hooks, activity } = parts;
  const pages = dependencies.consoleFolder === undefined ? [] : consolePages(dependencies.consoleFolder);
  const router = createRouter([...operations, ...pages], servicesOf(parts, dependencies));
  const values = createValueBudget(memory.ofBodies);
  const serving = { router, values, clock, log, logRequest, named, projects: registry, ...settings };
  const { s3, s3Domain: domain } = settings;
  const gateway = s3
    ? createS3Gateway({ keys, drives, items, clock, domain, isOwnPath: router.has, projects: registry })
    : undefined;
  const listener = createListener({
    ...serving,
    authenticate: keys.authenticate,
    isForOneProject: () => keys.areOfOneProject,
    readKey: keys.read,
    isOperator: operatorCheck(dependencies.adminKey),
    wakefulness: dependencies.wakefulness,
    gateway,
    trace,
    ...observer,
    onAnswered: activity.counting(observer?.onAnswered),
  });
  const forOwner = createListener({ ...serving, authenticate: ownerGrant, isOperator: () => true });
  return {
    /** Makes an HTTP or HTTPS server serve this app. */
    attach: (server: Server) => connect(server, listener),
    /**
     * Makes a server serve this app to the owner of the store: the header `X-API-Key` only says which project a request
     * is about, `{project}_…`. Only the owner may be able to connect to that server.
     */
    attachForOwner: (server: Server) => connect(server, forOwner),
    /** Keeps the bytes of overwritten and deleted files until the returned function is called. */
    holdGarbage: drives.holdGarbage,
    /** The app at this moment. */
    state: () => ({
      requestsInFlight: listener.requestsInFlight(),
      buffers: listener.buffers(),
      /** The memory of the values that bodies have become. */
      values: values.state(),
      contentCache: drives.cache(),
      /** Whether this server does maintenance. */
      doesMaintenance: parts.mayWork(),
      webhooks: hooks.state(),
      quotas: parts.ledgers.state(),
      /** The requests that were refused because their project had sent too many. */
      requestsOverQuota: registry.refusals(),
      /** Who follows changes now. */
      feedReaders: feed.readers(),
      /** The bytes of the logs of changes, as they were counted last. */
      feedLogBytes: parts.logBytes(),
    }),
    /** Ends the streams of changes and the webhooks, which would go on for good. */
    endFeeds() {
      void hooks.stop();
      feed.stop();
    },
    /** Starts maintenance: expiry, dropped uploads, garbage, orphans, the daily check of rows. */
    startMaintenance: parts.start,
    /** Ends maintenance. The engines belong to the caller, who closes them afterwards. */
    close: parts.stop,
  };
}

/** What the operations work with. */
function servicesOf(
  parts: AppParts,
  { blobs, keys, settings, clock, log, projects: gate }: AppDependencies,
): Services {
  const { items, bases, drives, catalog, feed, activity, projects } = parts;
  return {
    bases,
    maxItemsPerPut: settings.maxItemsPerPut,
    drives,
    prefixes: createPublicPrefixStore(items),
    listedLinks: createListedLinks(items, clock),
    gate,
    maxLinkSeconds: Math.floor(settings.maxLinkMs / 1000),
    publicUrl: settings.publicUrl,
    isSecure: settings.https || settings.tlsCert !== undefined,
    clock,
    catalog,
    activity,
    onQuery: activity.onQuery,
    feed,
    hooks: parts.hooks.service,
    keys,
    keyLists: createKeyLists(keys),
    projects,
    readiness: createReadiness(items, blobs, { log }),
    openApi: createOpenApi(operations),
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

const mib = 1024 * 1024;

/**
 * The bytes that may be taken by the values that bodies become, and by those that stored items become when they are
 * updated (docs/operations.md#memory). They are in the heap: its limit follows the memory, but is never below 256 MiB
 * unless the operator sets it. The largest body takes some 40 MiB, so two or more are read at once only with an
 * ordinary heap.
 */
function valueLimits(heapBytes = getHeapStatistics().heap_size_limit, memory = memoryBytes()) {
  return {
    ofBodies: Math.min(heapBytes / 4, memoryShare(128 * mib, memory)),
    ofStoredItems: Math.min(heapBytes / 8, memoryShare(64 * mib, memory)),
  };
}
