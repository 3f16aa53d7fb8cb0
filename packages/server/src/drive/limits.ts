const mib = 1024 * 1024;

/** "Body: raw file bytes, at most 10 Mb"; "10 Mb = 10 × 1024 × 1024 bytes, inclusive" */
export const maxFileBytes = 10 * mib;
/** "at most 10 Mb" */
export const maxPartBytes = 10 * mib;
/** "at least 5 Mb …; the final chunk may be smaller than 5 Mb" */
export const minPartBytes = 5 * mib;
/** "part numbers 1–10,000" */
export const maxParts = 10_000;
/** "`names` (array of strings, required, at most 1000)" */
export const maxDeletedNames = 1000;
/** "`limit` 1–1000 (a larger one means 1000)", "defaults to 1000" */
export const maxListed = 1000;
/** A thousand names of 1,024 bytes, each byte as `\u00XX`, with room to spare. */
export const maxDeleteBodyBytes = 8 * mib;
/** Files and parts up to this size lie in a row and share its commit; larger ones are blobs. */
export const defaultInlineFileBytes = 16 * 1024;
/** Blobs up to this size are answered from one buffer: a stream costs more than the memory. */
export const maxBufferedBytes = 256 * 1024;
