/** "At most 16 MiB a request" */
export const maxBodyBytes = 16 * 1024 * 1024;
/** "a JSON object, at most 400 KiB as stored UTF-8 JSON" */
export const maxItemBytes = 400 * 1024;
/** "nested at most 100 deep": the item itself is the first level. */
export const maxItemDepth = 100;
/** "a string of 1–1024 UTF-8 bytes" */
export const maxKeyBytes = 1024;
/** "at most 1 MiB of stored items is read" */
export const pageBytes = 1024 * 1024;
/** A body has up to so many levels around an item: `{"items":[`, and one more for the check to see. */
export const maxBodyDepth = maxItemDepth + 8;
