import type { BaseServices } from '../base/service.js';
import type { DriveServices } from '../drive/service.js';
import type { OperationGroups } from '../http/routing/operation-groups.js';
import { getActivity, getActivityDetails } from './operations/activity.js';
import { getStatistics, listBases, listDrives } from './operations/names-and-sizes.js';
import { getSettings, setSettings } from './operations/settings.js';
import type { CatalogServices } from './service.js';

/** The operations of docs/http.md#catalog. */
export const catalogOperations: OperationGroups<CatalogServices & BaseServices & DriveServices> = {
  Projects: {
    listBases,
    listDrives,
    getStatistics,
    getActivity,
    getActivityDetails,
    getSettings,
    setSettings,
  },
};
