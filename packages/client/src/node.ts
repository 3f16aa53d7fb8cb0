/** What needs the file system of Node: `basedrive-client/node`. */
export { downloadFolder } from './download-folder.js';
export type { FolderFailure, FolderOptions, FolderProgress, FolderResult } from './folder.js';
export { uploadFolder } from './upload-folder.js';
