import { createBaseService } from '../base/service.js';
import { createCatalogService } from '../catalog/service.js';
import { createDriveService } from '../drive/service.js';
import { createRetention } from '../feed/retention.js';
import { createFeedService, type FeedService } from '../feed/service.js';
import { reachableAddresses } from '../hooks/reachable.js';
import { createSend } from '../hooks/send.js';
import { createHooks } from '../hooks/service.js';
import { createStoredHooks } from '../hooks/stored-hooks.js';
import { createReportedTransactions } from '../http/answers/reported-transactions.js';
import type { BufferBudget } from '../http/memory/buffer-budget.js';
import { createFairSemaphores, createSemaphores } from '../lib/concurrency/semaphore.js';
import { isLittleMemory } from '../lib/memory.js';
import { createClockCheck, onlyClock } from '../maintenance/clock-check.js';
import { createLease, soleServer } from '../maintenance/leader-lease.js';
import { createMaintenance, type Owner, oneByOne } from '../maintenance/maintenance.js';
import { openQuotas } from '../projects/open-quotas.js';
import { createProjectService } from '../projects/service.js';
import type { Ledgers } from '../quotas/ledgers.js';
import { baseSpaces } from '../spaces.js';
import { createOrphanSweep } from '../store/orphan-sweep.js';
import { orphanAgeSeconds } from '../store/orphans.js';
import { createRowCheck } from '../store/row-check.js';
import { createRowShrink } from '../store/row-shrink.js';
import { createRest } from '../store/upkeep-pace.js';
import { createActivity } from './activity/activity.js';
import type { AppDependencies } from './app-dependencies.js';
import { createDamageLog } from './damage-log.js';

/** How many messages of webhooks are sent at once for a project. */
const hooksAtOnce = 4;
/** How many of them may be large, of all projects together: each takes some 5 MB. */
const largeHooksAtOnce = isLittleMemory() ? 6 : 24;

/** How a server works in the background. */
interface Background {
  /** Whether it is the one of several servers that does. */
  readonly mayWork: () => boolean;
  readonly beginRests: () => () => Promise<void>;
}

export type AppParts = ReturnType<typeof createParts>;

/** Everything that works with the store, whoever asks for it. `storedValues` counts the values that stored items become. */
export function createParts(dependencies: AppDependencies, storedValues: BufferBudget) {
  const { blobs, keys, clock, log, projects: registry } = dependencies;
  const named = createReportedTransactions(dependencies.items);
  const { items } = named;
  const clockCheck =
    items.nowMs === undefined ? onlyClock : createClockCheck({ rowsNowMs: items.nowMs, clock, log });
  const yields = () => clockCheck.state() === 'wrong';
  const leadership = items.isShared ? createLease({ items, log, yields }) : soleServer;
  const mayWork = leadership.isHeld;
  const mayRemove = () => mayWork() && clockCheck.state() === 'right';
  const counting = countingPace();
  const { beginRests } = counting;
  const { ledgers, accounts } = openQuotas(items, registry);
  const bases = createBaseService(items, clock, {
    background: { mayWork, log, beginRests },
    values: storedValues,
    ledgers,
  });
  const wakeMaintenance = () => background.wake();
  const drives = createDrives({ ...dependencies, items, ledgers, wakeMaintenance }, { mayWork, beginRests });
  const catalog = createCatalogService(items, clock, {
    beginRests,
    onError: willCountAgain(log),
    onUncounted: (space) => (space.startsWith(baseSpaces) ? bases : drives).startCount(space),
  });
  const feed = createFeedService(items, dependencies.changes, clock);
  const hooks = createWebhooks({ ...dependencies, items, feed }, mayWork);
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
    // Never together: an item may have thousands of entries in indexes, and a transaction with those of many stalls others.
    base: oneByOne(bases.handleDue),
    drive: drives.handleDue,
    keys: oneByOne(keys.handleDue),
    projects: oneByOne(projects.handleDue),
  };
  const background = createBackground(dependencies, owners, { mayWork, mayRemove });
  return {
    named,
    items,
    ledgers,
    bases,
    drives,
    catalog,
    feed,
    hooks,
    activity,
    projects,
    mayWork,
    logBytes: background.logBytes,
    start() {
      for (const part of [clockCheck, leadership, background, activity, hooks]) part.start();
    },
    async stop() {
      const hooksEnd = hooks.stop();
      feed.stop();
      counting.end();
      await hooksEnd;
      await Promise.all([background, activity, bases, drives, catalog, projects].map((part) => part.stop()));
      await Promise.all([leadership.stop(), clockCheck.stop()]);
    },
  };
}

interface DriveParts extends AppDependencies {
  readonly ledgers: Ledgers;
  readonly wakeMaintenance: () => void;
}

function createDrives(
  { items, blobs, clock, log, settings, ledgers, wakeMaintenance }: DriveParts,
  background: Background,
) {
  // The sweep waits for downloads on this server. It cannot see the leases of other servers, so it gives them time.
  const garbageGraceSeconds = items.isShared ? Math.ceil(settings.garbageGraceMs / 1000) : 0;
  const trashSeconds = Math.ceil(settings.trashMs / 1000);
  const uploadTtlSeconds = Math.ceil(settings.uploadTtlMs / 1000);
  return createDriveService({
    items,
    blobs,
    clock,
    settings: { uploadTtlSeconds, garbageGraceSeconds, trashSeconds },
    ledgers,
    wakeMaintenance,
    counting: { ...background, onError: willCountAgain(log) },
  });
}

function willCountAgain(log: AppDependencies['log']) {
  return (cause: unknown) => log.error({ err: cause }, 'counting failed and will be repeated');
}

interface WebhookParts extends AppDependencies {
  readonly feed: FeedService;
}

function createWebhooks(
  { items, feed, keys, clock, log, settings, observer }: WebhookParts,
  mayWork: () => boolean,
) {
  const mayReach = reachableAddresses(settings.hookNetworks);
  return createHooks({
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
    sendingLarge: createFairSemaphores(() => largeHooksAtOnce),
    onSent: observer?.onSent,
  });
}

/** Counting in the background takes a fifth of the time, until it is ended. */
function countingPace() {
  const ended = new AbortController();
  const pace = { share: 0.2, monotonicMs: () => performance.now(), signal: ended.signal };
  return { beginRests: () => createRest(pace), end: () => ended.abort() };
}

/** What a server may do in the background. */
interface Permissions {
  readonly mayWork: () => boolean;
  /** Whether it may also remove what is old by its clock. */
  readonly mayRemove: () => boolean;
}

/** What works through the store by itself. */
function createBackground(
  { items, blobs, settings, clock, log, observer, onDamage }: AppDependencies,
  owners: Readonly<Record<string, Owner>>,
  { mayWork, mayRemove }: Permissions,
) {
  const maintenance = createMaintenance({ items, owners, clock, log, mayWork: mayRemove, ...observer });
  const ageSeconds = orphanAgeSeconds(settings.requestTimeoutMs);
  const retention = createRetention({
    items,
    clock,
    log,
    keepMs: settings.keepChangesMs,
    mayWork: mayRemove,
  });
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
