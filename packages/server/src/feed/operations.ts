import type { OperationGroups } from '../http/routing/operation-groups.js';
import { listChanges } from './operations/list-changes.js';
import { createTicket, followByTicket } from './operations/tickets.js';
import type { FeedServices } from './service.js';

/** The operations of docs/http.md#changes. */
export const feedOperations: OperationGroups<FeedServices> = {
  Changes: { listChanges, createTicket, followByTicket },
};
