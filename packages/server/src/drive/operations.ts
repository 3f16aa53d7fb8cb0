import type { OperationGroups } from '../http/routing/operation-groups.js';
import { abortUpload } from './operations/abort-upload.js';
import { changeFile } from './operations/change-file.js';
import { deleteAllFiles } from './operations/delete-all-files.js';
import { deleteFiles } from './operations/delete-files.js';
import { downloadFile } from './operations/download-file.js';
import { deleteFromTrash, emptyTrash } from './operations/empty-trash.js';
import { endUpload } from './operations/end-upload.js';
import { fileParts } from './operations/file-parts.js';
import { getUpload } from './operations/get-upload.js';
import { initializeUpload } from './operations/initialize-upload.js';
import { listFiles } from './operations/list-files.js';
import { listTrash } from './operations/list-trash.js';
import { listUploads } from './operations/list-uploads.js';
import { putFile } from './operations/put-file.js';
import { restoreFiles } from './operations/restore-files.js';
import { copyFiles, moveFiles } from './operations/transfer-files.js';
import { uploadPart } from './operations/upload-part.js';
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
