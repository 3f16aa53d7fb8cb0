import type { OperationGroups } from '../http/routing/operation-groups.js';
import { aggregateItems } from './operations/aggregate-items.js';
import { exportItems, importItems, importNewItems } from './operations/bulk.js';
import { declareIndex, dropIndex, listIndexes } from './operations/indexes.js';
import { deleteAllItems, deleteItem, getItem, insertItem, putItems, updateItem } from './operations/items.js';
import { queryItems } from './operations/query-items.js';
import { runTransaction } from './operations/run-transaction.js';
import { countItems, deleteByQuery, profileItems, updateByQuery } from './operations/sets.js';
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
