import { baseOperations } from '../base/operations.js';
import type { BaseServices } from '../base/service.js';
import { catalogOperations } from '../catalog/operations.js';
import type { CatalogServices } from '../catalog/service.js';
import { driveOperations } from '../drive/operations.js';
import type { DriveServices } from '../drive/service.js';
import { electricOperations } from '../electric/operations.js';
import { feedOperations } from '../feed/operations.js';
import type { FeedServices } from '../feed/service.js';
import { hookOperations } from '../hooks/operations.js';
import type { HookServices } from '../hooks/service.js';
import { type HealthServices, healthOperations } from '../http/health/health.js';
import { type ListedOperation, listed } from '../http/routing/operation-groups.js';
import type { KeyServices } from '../keys/key-lists.js';
import { keyOperations } from '../keys/operations.js';
import { openApiOperations } from '../openapi/operations.js';
import type { OpenApiServices } from '../openapi/service.js';
import { projectOperations } from '../projects/operations.js';
import type { ProjectServices } from '../projects/service.js';
import { sharingOperations } from '../sharing/operations.js';
import type { SharingServices } from '../sharing/services.js';

/** What all operations together work with. */
export type Services = BaseServices &
  DriveServices &
  SharingServices &
  CatalogServices &
  FeedServices &
  HookServices &
  KeyServices &
  ProjectServices &
  HealthServices &
  OpenApiServices;

/** Every operation of the API, in the order of docs/http.md. */
export const operations: readonly ListedOperation<Services>[] = listed<Services>(
  baseOperations,
  driveOperations,
  sharingOperations,
  catalogOperations,
  feedOperations,
  electricOperations,
  hookOperations,
  keyOperations,
  projectOperations,
  healthOperations,
  openApiOperations,
);
