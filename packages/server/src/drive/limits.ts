const mib = 1024 * 1024;

/** The body of Put File. These limits are those of docs/http.md#all-limits. */
export const maxFileBytes = 10 * mib;
/** One part of an upload. */
export const maxPartBytes = 10 * mib;
/** A part that is not the last. */
export const minPartBytes = 5 * mib;
/** The highest number of a part. */
export const maxParts = 10_000;
/** The names of Delete Files. */
export const maxDeletedNames = 1000;
/** The files of Move Files and Copy Files. */
export const maxTransferredFiles = 1000;
/** Their body: two names each, of 1,024 bytes, each byte as `\u00XX`, with room to spare. */
export const maxTransferBodyBytes = 16 * mib;
/** The names of List Files. */
export const maxListed = 1000;
/** The body of Change File. */
export const maxChangesBodyBytes = 64 * 1024;
/** The body of Delete Files: a thousand names of 1,024 bytes, each byte as `\u00XX`, with room to spare. */
export const maxDeleteBodyBytes = 8 * mib;
/** Of a JSON body: nesting, values (beside the names of Delete Files), and characters of one string as it is written. */
export const maxBodyDepth = 100;
export const maxBodyValues = 204_800;
export const maxBodyString = mib;
/** Files and parts up to this size are stored in a row and share its commit; larger ones are blobs. */
export const defaultInlineFileBytes = 16 * 1024;
/** Blobs up to this size are answered from one buffer: a stream costs more than the memory. */
export const maxBufferedBytes = 256 * 1024;
