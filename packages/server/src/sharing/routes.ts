import type { DriveService } from '../drive/service.js';
import type { ItemStore } from '../engines/item-store.js';
import type { RouteTable } from '../http/call.js';
import type { Clock } from '../lib/clock.js';
import { publicFilesRoutes } from './public-files.js';
import { createPublicPrefixStore } from './public-prefixes.js';
import { publicPrefixesRoutes } from './public-prefixes-routes.js';

export interface SharingParts {
  readonly items: ItemStore;
  readonly drives: DriveService;
  readonly clock: Clock;
}

/** The routes of docs/http.md#sharing: `ofDrive` are below `/v1/{project}/{drive}`, and `withoutKey` are below nothing. */
export function sharingRoutes({ items, drives, clock }: SharingParts): {
  readonly ofDrive: RouteTable;
  readonly withoutKey: RouteTable;
} {
  const prefixes = createPublicPrefixStore(items);
  return {
    ofDrive: publicPrefixesRoutes(prefixes),
    withoutKey: publicFilesRoutes({ drives, prefixes, clock }),
  };
}
