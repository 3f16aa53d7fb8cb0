/** Body of a request (docs/http.md#all-limits). */
export const maxBodyBytes = 16 * 1024 * 1024;
/** A line of an import: an item in which all characters beyond ASCII are escaped fits (docs/http.md#bulk-lines). */
export const maxLineBytes = 1200 * 1024;
/** An item as it is stored (docs/http.md#items). */
export const maxItemBytes = 400 * 1024;
/** Nesting of an item; the item itself is the first level (docs/http.md#items). */
export const maxItemDepth = 100;
/** Key of an item in UTF-8 (docs/http.md#items). */
export const maxKeyBytes = 1024;
/** Stored items that are read for one page of a query (docs/http.md#pages). */
export const pageBytes = 1024 * 1024;
/**
 * JSON values in an item of a request, in an update and in a query, lists and objects included. An item of
 * `maxItemBytes` cannot have more: each takes two bytes at least (docs/http.md#all-limits).
 */
export const maxValues = maxItemBytes / 2;
/** Conditions of a query in all its objects, and objects (docs/http.md#all-limits). */
export const maxConditions = 1000;
/** Paths of an update in all its members (docs/http.md#all-limits). */
export const maxUpdatePaths = 10_000;
/** A path of so many segments reaches the deepest attribute of an item, and no more are taken (docs/http.md#all-limits). */
export const maxPathSegments = 100;
/** String operand of a condition: a longer one could match nothing (docs/http.md#all-limits). */
export const maxOperandBytes = 400 * 1024;
/** Values of `?in` and `?not_in` (docs/http.md#query-conditions). */
export const maxOperandValues = 1000;
/** Paths of `select` (docs/http.md#selected-attributes). */
export const maxSelectedPaths = 1000;
/** Paths of `order` (docs/http.md#ordered-queries). */
export const maxOrderPaths = 10;
/** Operations of a transaction (docs/http.md#transactions). */
export const maxTransactionOperations = 100;
/** Stored items that a transaction reads, as they are before it (docs/http.md#all-limits). */
export const maxTransactionBytes = 16 * 1024 * 1024;
