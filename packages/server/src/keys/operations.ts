import type { OperationGroups } from '../http/routing/operation-groups.js';
import type { KeyServices } from './key-lists.js';
import { createKey } from './operations/create-key.js';
import { deleteKey } from './operations/delete-key.js';
import { getOwnKey } from './operations/get-own-key.js';
import { listKeys } from './operations/list-keys.js';

/** The operations of docs/http.md#limited-keys. */
export const keyOperations: OperationGroups<KeyServices> = {
  Keys: { createKey, listKeys, getOwnKey, deleteKey },
};
