const mib = 1024 * 1024;

/** The maximum size of the body of Put File. The limits of this file are described in docs/http.md#all-limits. */
export const maxFileBytes = 10 * mib;
/** The maximum size of a part of an upload. */
export const maxPartBytes = 10 * mib;
/** The minimum size of a part that is not the last. */
export const minPartBytes = 5 * mib;
/** The highest number of a part. */
export const maxParts = 10_000;
/** The maximum number of names of Delete Files. */
export const maxDeletedNames = 1000;
/** The maximum number of files of Move Files and Copy Files. */
export const maxTransferredFiles = 1000;
/**
 * The maximum size of the body of Move Files and Copy Files. It fits two names of 1,024 bytes for each file, with each
 * byte written as `\u00XX`.
 */
export const maxTransferBodyBytes = 16 * mib;
/** The maximum number of files of Restore Files and Empty Trash, and of a page of List Trash. */
export const maxRestoredFiles = 1000;
/** The longest time for which a trash keeps files, in seconds: ten years. */
export const maxTrashSeconds = 3650 * 24 * 60 * 60;
/** The maximum size of the metadata of a file: its names and values as UTF-8, together. */
export const maxMetadataBytes = 2048;
/** The maximum number of its names: a proxy must have room for the headers that give it back. */
export const maxMetadataNames = 64;
/** The maximum size of the body of Change File. */
export const maxChangesBodyBytes = 64 * 1024;
/**
 * The maximum size of the body of Delete Files. It fits a thousand names of 1,024 bytes, with each byte written as
 * `\u00XX`.
 */
export const maxDeleteBodyBytes = 8 * mib;
/**
 * The limits of a JSON body: its nesting, the number of its values (without the names of Delete Files), and the
 * characters of a string as it is written.
 */
export const maxBodyDepth = 100;
export const maxBodyValues = 204_800;
export const maxBodyString = mib;
/**
 * The maximum size of files and parts that are stored in a row by default. They share the commit of their row; larger
 * ones are blobs.
 */
export const defaultInlineFileBytes = 16 * 1024;
/** The maximum size of the marker of a folder, which is in its row. Nearly all are empty. */
export const maxMarkerBytes = 16 * 1024;
/** The maximum size of blobs that are answered from one buffer. For these, a stream costs more than the memory. */
export const maxBufferedBytes = 256 * 1024;
