import type { Server } from 'node:http';
import { baseRoutes } from './base/routes.js';
import { createBaseService } from './base/service.js';
import type { Clock } from './clock.js';
import { driveRoutes } from './drive/routes.js';
import { createDriveService } from './drive/service.js';
import type { BlobStore } from './engines/blob-store.js';
import type { ItemStore } from './engines/item-store.js';
import type { RouteTable } from './http/call.js';
import type { CorsOrigins } from './http/cors.js';
import { healthRoutes } from './http/health.js';
import { createListener, type RequestLog } from './http/listener.js';
import { createRouter } from './http/router.js';
import { createOrphanSweep } from './upkeep/orphans.js';
import { createUpkeep } from './upkeep/upkeep.js';

export interface AppSettings {
  readonly corsOrigins: CorsOrigins;
  readonly maxItemsPerPut: number;
  readonly uploadTtlSeconds: number;
  readonly maxRequestsUnderWay: number;
}

export interface AppParts {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  /** The project whose key was presented, or undefined. */
  readonly authenticate: (apiKey: string | undefined) => string | undefined;
  readonly settings: AppSettings;
  readonly clock: Clock;
  readonly log: RequestLog;
}

export interface App {
  /** Lets an HTTP or HTTPS server answer with this app. */
  attach(server: Server): void;
  /** Begins the work in the background: expiry, dropped uploads, garbage, orphaned blobs. */
  startUpkeep(): void;
  /** Ends the work in the background. The engines belong to the caller, who closes them afterwards. */
  close(): Promise<void>;
}

/** Wires services, routes and upkeep over two engines. Opens nothing and listens nowhere. */
export function createApp(parts: AppParts): App {
  const { items, blobs, authenticate, settings, clock, log } = parts;
  const bases = createBaseService(items, clock);
  const drives = createDriveService({ items, blobs, clock, settings, wakeUpkeep: () => upkeep.wake() });
  const owners = { base: bases.expire, drive: drives.sweep };
  const upkeep = createUpkeep({ items, owners, clock, log });
  const orphans = createOrphanSweep({ items, blobs, clock, log });
  const router = createRouter({
    ...healthRoutes(items),
    ...below('/v1/:project/:name', baseRoutes(bases, settings)),
    ...below('/v1/:project/:name', driveRoutes(drives)),
  });
  const listener = createListener({ router, authenticate, log, ...settings });
  return {
    attach(server) {
      server.on('request', listener.onRequest);
      server.on('checkContinue', listener.onRequest);
      server.on('checkExpectation', listener.onExpectation);
      server.on('clientError', listener.onClientError);
      server.on('connect', listener.onConnect);
    },
    startUpkeep() {
      upkeep.start();
      orphans.start();
    },
    async close() {
      await Promise.all([upkeep.stop(), orphans.stop()]);
    },
  };
}

function below(root: string, routes: RouteTable): RouteTable {
  return Object.fromEntries(Object.entries(routes).map(([path, handlers]) => [root + path, handlers]));
}
