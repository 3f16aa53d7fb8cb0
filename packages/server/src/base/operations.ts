import type { OperationGroups } from '../http/routing/operation-groups.js';
import { aggregateItems } from './operations/aggregate-items.js';
import { countItems } from './operations/count-items.js';
import { declareIndex } from './operations/declare-index.js';
import { deleteAllItems } from './operations/delete-all-items.js';
import { deleteByQuery } from './operations/delete-by-query.js';
import { deleteItem } from './operations/delete-item.js';
import { dropIndex } from './operations/drop-index.js';
import { exportItems } from './operations/export-items.js';
import { getItem } from './operations/get-item.js';
import { importItems, importNewItems } from './operations/import-items.js';
import { insertItem } from './operations/insert-item.js';
import { listIndexes } from './operations/list-indexes.js';
import { profileItems } from './operations/profile-items.js';
import { putItems } from './operations/put-items.js';
import { queryItems } from './operations/query-items.js';
import { runTransaction } from './operations/run-transaction.js';
import { updateByQuery } from './operations/update-by-query.js';
import { updateItem } from './operations/update-item.js';
import type { BaseServices } from './service.js';

/** The operations of docs/http.md#database-api. */
export const baseOperations: OperationGroups<BaseServices> = {
  Items: {
    putItems,
    getItem,
    deleteItem,
    insertItem,
    updateItem,
    queryItems,
    runTransaction,
    deleteAllItems,
    exportItems,
    importItems,
    importNewItems,
  },
  Sets: { countItems, aggregateItems, profileItems, deleteByQuery, updateByQuery },
  Indexes: { declareIndex, listIndexes, dropIndex },
};
