import type { OperationGroups } from '../http/routing/operation-groups.js';
import { changeFile, deleteAllFiles, deleteFiles, downloadFile, fileParts } from './operations/files.js';
import { listFiles } from './operations/list-files.js';
import { putFile } from './operations/put-file.js';
import { copyFiles, moveFiles } from './operations/transfer-files.js';
import { deleteFromTrash, emptyTrash, listTrash, restoreFiles } from './operations/trash.js';
import {
  abortUpload,
  endUpload,
  getUpload,
  initializeUpload,
  listUploads,
  uploadPart,
} from './operations/uploads.js';
import type { DriveServices } from './service.js';

/** The operations of docs/http.md#file-api. */
export const driveOperations: OperationGroups<DriveServices> = {
  Files: {
    putFile,
    downloadFile,
    listFiles,
    fileParts,
    changeFile,
    moveFiles,
    copyFiles,
    deleteFiles,
    deleteAllFiles,
  },
  Trash: { listTrash, restoreFiles, deleteFromTrash, emptyTrash },
  Uploads: { initializeUpload, uploadPart, endUpload, listUploads, getUpload, abortUpload },
};
