import type { OperationGroups } from '../http/routing/operation-groups.js';
import { changeHook } from './operations/change-hook.js';
import { createHook } from './operations/create-hook.js';
import { deleteHook } from './operations/delete-hook.js';
import { listHooks } from './operations/list-hooks.js';
import { testHook } from './operations/test-hook.js';
import type { HookServices } from './service.js';

/** The operations of docs/http.md#webhooks. */
export const hookOperations: OperationGroups<HookServices> = {
  Webhooks: { createHook, listHooks, changeHook, deleteHook, testHook },
};
