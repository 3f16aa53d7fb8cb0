import type { ActivityDetails } from 'basedrive-client';
import { LatestRequests } from './latest-requests.js';
import { SlowQueries } from './slow-queries.js';
import { StoragePanel } from './storage-panel.js';

/** What the server knows of the requests of the project, and of what it stores over time. */
export function ActivityPanels({ activity }: { readonly activity: ActivityDetails }) {
  return (
    <>
      <div class="columns-2">
        <SlowQueries queries={activity.slow_queries} />
        <StoragePanel storage={activity.storage} />
      </div>
      <LatestRequests requests={activity.latest} />
    </>
  );
}
