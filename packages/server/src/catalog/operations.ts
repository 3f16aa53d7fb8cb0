import type { OperationGroups } from '../http/routing/operation-groups.js';
import { getActivity, getActivityDetails } from './operations/get-activity.js';
import { getStatistics } from './operations/get-statistics.js';
import { listBases, listDrives } from './operations/list-names.js';
import type { CatalogServices } from './service.js';

/** The operations of docs/http.md#catalog. */
export const catalogOperations: OperationGroups<CatalogServices> = {
  Projects: { listBases, listDrives, getStatistics, getActivity, getActivityDetails },
};
