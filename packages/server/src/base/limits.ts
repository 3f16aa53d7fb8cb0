/** The maximum size of a request body (docs/http.md#all-limits). */
export const maxBodyBytes = 16 * 1024 * 1024;
/**
 * The maximum size of a line of an import. An item fits even if all of its characters are escaped
 * (docs/http.md#bulk-lines).
 */
export const maxLineBytes = 1200 * 1024;
/** The maximum number of items of a batch of an import that replaces items (docs/http.md#import-items). */
export const maxBatchItems = 4000;
/**
 * The same where the stored items are read: for an import of new items, and in a base with indexes. Reading takes
 * several times as long as writing, and others must wait for it.
 */
export const maxReadBatchItems = 1000;
/** The maximum size of an item as it is stored (docs/http.md#items). */
export const maxItemBytes = 400 * 1024;
/** The maximum nesting of an item. The item itself is the first level (docs/http.md#items). */
export const maxItemDepth = 100;
/** The maximum size of a key in UTF-8 (docs/http.md#items). */
export const maxKeyBytes = 1024;
/** The size of the stored items that are read for one page of a query (docs/http.md#pages). */
export const pageBytes = 1024 * 1024;
/**
 * The maximum number of JSON values, lists and objects included, in an item of a request, in an update and in a query
 * (docs/http.md#all-limits). An item of `maxItemBytes` cannot have more, because each value takes at least two bytes.
 */
export const maxValues = maxItemBytes / 2;
/** The maximum number of conditions and objects of a query together (docs/http.md#all-limits). */
export const maxConditions = 1000;
/** The maximum number of paths in all members of an update (docs/http.md#all-limits). */
export const maxUpdatePaths = 10_000;
/**
 * The maximum number of segments of a path: enough to reach the deepest attribute of an item (docs/http.md#all-limits).
 */
export const maxPathSegments = 100;
/** The maximum size of a string operand. A longer string could not match anything (docs/http.md#all-limits). */
export const maxOperandBytes = 400 * 1024;
/** The maximum number of values of `?in` and `?not_in` (docs/http.md#query-conditions). */
export const maxOperandValues = 1000;
/** The maximum number of paths of `select` (docs/http.md#selected-attributes). */
export const maxSelectedPaths = 1000;
/** The maximum number of paths of `order` (docs/http.md#ordered-queries). */
export const maxOrderPaths = 10;
/** The maximum number of items that an operation by query changes in an order, or gives back (docs/http.md#claims). */
export const maxClaimed = 100;
/** With this many bytes of items to give back, an operation by query ends before its limit (docs/http.md#claims). */
export const maxReturnedBytes = 16 * 1024 * 1024;
/** The maximum number of paths by which items are grouped (docs/http.md#aggregates). */
export const maxGroupPaths = 10;
/** The maximum number of aggregates of a request (docs/http.md#aggregates). */
export const maxAggregates = 20;
/** The maximum size of the name of an aggregate in UTF-8 (docs/http.md#aggregates). */
export const maxAggregateNameBytes = 255;
/** The maximum number of groups (docs/http.md#aggregates). */
export const maxGroups = 100_000;
/** The maximum memory of all groups together, about (docs/http.md#aggregates). */
export const maxGroupBytes = 48 * 1024 * 1024;
/** The maximum number of operations of a transaction (docs/http.md#transactions). */
export const maxTransactionOperations = 100;
/** The maximum size of the stored items that a transaction reads, before its changes (docs/http.md#all-limits). */
export const maxTransactionBytes = 16 * 1024 * 1024;
/** The maximum number of indexes of a base (docs/http.md#declare-index). */
export const maxIndexes = 8;
/**
 * The maximum size of the entries that the items of one transaction have in indexes before it, and of those that they
 * have after it. A single item may have more (docs/http.md#indexes-of-lists).
 */
export const maxEntryBytes = 2 * 1024 * 1024;
/** The maximum number of paths of an index (docs/http.md#declare-index). */
export const maxIndexFields = 4;
/** The maximum size of a path of an index in UTF-8 (docs/http.md#declare-index). */
export const maxIndexFieldBytes = 1024;
/** The maximum size of the name of an index in UTF-8 (docs/http.md#declare-index). */
export const maxIndexNameBytes = 255;
