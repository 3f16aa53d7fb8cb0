/** The bytes that a page of items, or one item, has by default, and at most. A model has to read them all. */
export const itemBytes = { default: 50_000, max: 1_000_000 };
/** The number of items of a page by default, and at most. */
export const itemsPerPage = { default: 25, max: 1000 };
/** The number of changes of a page by default, and at most. */
export const changesPerPage = { default: 50, max: 1000 };
/** The number of groups of a page by default, and at most. */
export const groupsPerPage = { default: 50, max: 1000 };
/** The number of names of a list by default, and at most. */
export const namesPerPage = { default: 100, max: 1000 };
/** The bytes of a list of names. */
export const maxListBytes = 50_000;
/** The bytes of a file that one call reads by default, and at most. An image comes whole, up to the maximum. */
export const fileBytes = { default: 64 * 1024, max: 1024 * 1024 };
/** The largest file that one call stores. */
export const maxPutBytes = 1024 * 1024;
/** The largest message of a client: 25 items of 400 KiB fit (docs/http.md#put-items). */
export const maxMessageBytes = 16 * 1024 * 1024;
