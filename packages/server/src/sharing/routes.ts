import type { Grant } from '../access/grant.js';
import type { DriveService } from '../drive/service.js';
import type { ItemStore } from '../engines/item-store.js';
import type { RouteTable } from '../http/call.js';
import type { Clock } from '../lib/clock.js';
import { linkedFilesRoutes } from './linked-files.js';
import { linksRoutes } from './links-routes.js';
import { publicFilesRoutes } from './public-files.js';
import { createPublicPrefixStore } from './public-prefixes.js';
import { publicPrefixesRoutes } from './public-prefixes-routes.js';

export interface SharingParts {
  readonly items: ItemStore;
  readonly drives: DriveService;
  readonly keys: {
    grantOf(keyId: string): Grant | undefined;
    linkSecret(keyId: string): Buffer | undefined;
  };
  /** The address of the service for its clients; undefined: that of each request. */
  readonly publicUrl: string | undefined;
  /** Whether the service itself speaks HTTPS. */
  readonly isSecure: boolean;
  readonly clock: Clock;
}

/** The routes of docs/http.md#sharing: `ofDrive` are below `/v1/{project}/{drive}`, and `withoutKey` are below nothing. */
export function sharingRoutes({ items, drives, keys, publicUrl, isSecure, clock }: SharingParts): {
  readonly ofDrive: RouteTable;
  readonly withoutKey: RouteTable;
} {
  const prefixes = createPublicPrefixStore(items);
  const { grantOf, linkSecret: secretOf } = keys;
  return {
    ofDrive: {
      ...publicPrefixesRoutes(prefixes),
      ...linksRoutes({ secretOf, publicUrl, isSecure, clock }),
    },
    withoutKey: {
      ...publicFilesRoutes({ drives, prefixes, clock }),
      ...linkedFilesRoutes({ drives, secretOf, grantOf, clock }),
    },
  };
}
