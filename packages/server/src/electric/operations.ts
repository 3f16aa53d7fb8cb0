import type { FeedServices } from '../feed/service.js';
import type { OperationGroups } from '../http/routing/operation-groups.js';
import { getShape } from './operations/get-shape.js';

/** The operations of docs/http.md#electric. */
export const electricOperations: OperationGroups<FeedServices> = {
  Changes: { getShape },
};
