import type { OperationGroups } from '../http/routing/operation-groups.js';
import { createTicket } from './operations/create-ticket.js';
import { followByTicket } from './operations/follow-by-ticket.js';
import { listChanges } from './operations/list-changes.js';
import type { FeedServices } from './service.js';

/** The operations of docs/http.md#changes. */
export const feedOperations: OperationGroups<FeedServices> = {
  Changes: { listChanges, createTicket, followByTicket },
};
